-- Comparable sales around the parcel, and the price of a square metre estimated from them: houses or flats, whichever
-- was last sold on the parcel itself, else is sold most around it, in the last five years of the data. Fewer than five
-- within 500 m: those within 1000 m; fewer than five there: no estimate.
-- Indexes: dvf_sale_geom_idx, dvf_idu_idx, dvf_commune_commune_idx. Up to some thousand sales in a dense city.
WITH place AS MATERIALIZED (SELECT @shape::geometry AS shape, cos(radians(ST_Y(ST_Centroid(ST_Envelope(@shape::geometry))))) AS k),
here AS MATERIALIZED (SELECT shape, k, geo.flat(shape, k) AS flat FROM place),
period AS MATERIALIZED (
    SELECT max(last_day) AS until, (max(last_day) - interval '5 years')::date AS since, min(first_day) AS first
    FROM geo.dvf_commune WHERE commune BETWEEN @departement::text AND @departement::text || 'ZZZ'
), found AS MATERIALIZED (
    SELECT s.* FROM here h CROSS JOIN period p JOIN geo.dvf_sale s ON s.geom && geo.around(h.shape, 500) AND s.date > p.since
), served AS MATERIALIZED (
    SELECT f.commune, (SELECT c.part FROM geo.dvf_commune c WHERE c.commune = f.commune
        ORDER BY c.last_day DESC, c.rank DESC, c.part LIMIT 1) AS part
    FROM (SELECT DISTINCT commune FROM found) f
), close AS MATERIALIZED (
    SELECT f.*, d.m FROM here h CROSS JOIN found f JOIN served v ON v.commune = f.commune AND v.part = f.part
        CROSS JOIN LATERAL (SELECT geo.point_metres(f.geom, h.flat, h.k) AS m OFFSET 0) d
    WHERE d.m <= 500
), own AS (
    SELECT s.type FROM geo.dvf r JOIN geo.dvf_sale s ON s.part = r.part AND s.mutation = r.mutation
    WHERE r.idu = @idu ORDER BY s.date DESC, s.type LIMIT 1
), near_kind AS MATERIALIZED (
    SELECT coalesce((SELECT type FROM own), (SELECT type FROM close GROUP BY type ORDER BY count(*) DESC, min(m), type LIMIT 1)) AS type
), far AS MATERIALIZED (
    SELECT s.*, d.m FROM here h CROSS JOIN period p CROSS JOIN near_kind n
        JOIN geo.dvf_sale s ON s.geom && geo.around(h.shape, 1000) AND s.date > p.since AND s.type = coalesce(n.type, s.type)
        CROSS JOIN LATERAL (SELECT geo.point_metres(s.geom, h.flat, h.k) AS m OFFSET 0) d
    WHERE d.m > 500 AND d.m <= 1000 AND s.part = (SELECT c.part FROM geo.dvf_commune c WHERE c.commune = s.commune
            ORDER BY c.last_day DESC, c.rank DESC, c.part LIMIT 1)
        AND (SELECT count(*) FROM close c JOIN near_kind k ON k.type = c.type) < 5
), kind AS MATERIALIZED (
    SELECT coalesce((SELECT type FROM near_kind), (SELECT type FROM far GROUP BY type ORDER BY count(*) DESC, min(m), type LIMIT 1)) AS type
), comparable AS MATERIALIZED (
    SELECT a.* FROM (SELECT * FROM close UNION ALL SELECT * FROM far) a JOIN kind k ON k.type = a.type
), radius AS MATERIALIZED (
    SELECT CASE WHEN count(*) FILTER (WHERE m <= 500) >= 5 THEN 500 ELSE 1000 END AS metres FROM comparable
), used AS (
    SELECT c.*, row_number() OVER (ORDER BY c.m, c.date DESC, c.mutation) AS nth FROM comparable c JOIN radius r ON c.m <= r.metres
), nearest AS (
    SELECT * FROM comparable WHERE m <= 500 ORDER BY m, date DESC, mutation LIMIT 20
)
SELECT (SELECT coalesce(json_agg(json_build_object('id', mutation, 'date', date, 'priceEur', price, 'type', type,
        'builtM2', built, 'landM2', nullif(land, 0), 'rooms', rooms, 'pricePerM2', round(price_m2)::int, 'distanceM', round(m)::int)
        ORDER BY m, date DESC, mutation), '[]') FROM nearest),
    (SELECT json_build_object('medianPricePerM2', round(q[2])::int, 'q1', round(q[1])::int, 'q3', round(q[3])::int, 'sampleSize', n,
        'radiusM', r.metres, 'periodFrom', greatest(p.since + 1, p.first), 'periodTo', p.until, 'type', (SELECT type FROM kind), 'sales', sales)
    FROM (SELECT percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY price_m2) AS q, count(*) AS n,
            json_agg(json_build_object('id', mutation, 'date', date, 'pricePerM2', round(price_m2)::int, 'distanceM', round(m)::int)
                ORDER BY nth) FILTER (WHERE nth <= 50) AS sales
        FROM used HAVING count(*) >= 5) e, radius r, period p)
