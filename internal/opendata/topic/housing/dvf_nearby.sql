-- Comparable sales around the parcel, the nearest first, each with the quartiles of the price of a square metre of all
-- of them: houses or flats, whichever was last sold on the parcel itself, else is sold most around it, in the last five
-- years of the data. Where too few are near, those that are farther count. by_type has the prices of houses and of flats,
-- of those near alone. A call that names its keys also gets the nearest of the other type, which no price is made from.
-- Without a sale one row with an empty id, for the period in which it was looked for.
-- Indexes: dvf_sale_geom_idx, dvf_idu_idx, dvf_commune_commune_idx. Up to some thousand sales in a dense city.
WITH place AS MATERIALIZED (SELECT @shape::geometry AS shape, cos(radians(ST_Y(ST_Centroid(ST_Envelope(@shape::geometry))))) AS k),
here AS MATERIALIZED (SELECT shape, k, geo.flat(shape, k) AS flat FROM place),
period AS MATERIALIZED (
    SELECT max(last_day) AS until, (max(last_day) - interval '5 years')::date AS since, min(first_day) AS first
    FROM geo.dvf_commune WHERE commune BETWEEN @departement::text AND @departement::text || 'ZZZ'
), found AS MATERIALIZED (
    SELECT s.* FROM here h CROSS JOIN period p JOIN geo.dvf_sale s ON s.geom && geo.around(h.shape, @near) AND s.date > p.since
), served AS MATERIALIZED (
    SELECT f.commune, (SELECT c.part FROM geo.dvf_commune c WHERE c.commune = f.commune
        ORDER BY c.last_day DESC, c.rank DESC, c.part LIMIT 1) AS part
    FROM (SELECT DISTINCT commune FROM found) f
), close AS MATERIALIZED (
    SELECT f.*, d.m FROM here h CROSS JOIN found f JOIN served v ON v.commune = f.commune AND v.part = f.part
        CROSS JOIN LATERAL (SELECT geo.point_metres(f.geom, h.flat, h.k) AS m OFFSET 0) d
    WHERE d.m <= @near
), own AS (
    SELECT s.type FROM geo.dvf r JOIN geo.dvf_sale s ON s.part = r.part AND s.mutation = r.mutation
    WHERE r.idu = @idu ORDER BY s.date DESC, s.type LIMIT 1
), near_kind AS MATERIALIZED (
    SELECT coalesce((SELECT type FROM own), (SELECT type FROM close GROUP BY type ORDER BY count(*) DESC, min(m), type LIMIT 1)) AS type
), far AS MATERIALIZED (
    SELECT s.*, d.m FROM here h CROSS JOIN period p CROSS JOIN near_kind n
        JOIN geo.dvf_sale s ON s.geom && geo.around(h.shape, @far) AND s.date > p.since AND s.type = coalesce(n.type, s.type)
        CROSS JOIN LATERAL (SELECT geo.point_metres(s.geom, h.flat, h.k) AS m OFFSET 0) d
    WHERE d.m > @near AND d.m <= @far AND s.part = (SELECT c.part FROM geo.dvf_commune c WHERE c.commune = s.commune
            ORDER BY c.last_day DESC, c.rank DESC, c.part LIMIT 1)
        AND (SELECT count(*) FROM close c JOIN near_kind k ON k.type = c.type) < @enough
), kind AS MATERIALIZED (
    SELECT coalesce((SELECT type FROM near_kind), (SELECT type FROM far GROUP BY type ORDER BY count(*) DESC, min(m), type LIMIT 1)) AS type
), comparable AS MATERIALIZED (
    SELECT a.* FROM (SELECT * FROM close UNION ALL SELECT * FROM far) a JOIN kind k ON k.type = a.type
), radius AS MATERIALIZED (
    SELECT CASE WHEN count(*) FILTER (WHERE m <= @near) >= @enough THEN @near ELSE @far END AS metres FROM comparable
), used AS (
    SELECT c.*, row_number() OVER (ORDER BY c.m, c.date DESC, c.mutation) AS nth FROM comparable c JOIN radius r ON c.m <= r.metres
), other AS (
    SELECT c.*, row_number() OVER (ORDER BY c.m, c.date DESC, c.mutation) AS nth FROM close c JOIN kind k ON c.type <> k.type WHERE @named::boolean
), by_type AS (
    SELECT jsonb_agg(jsonb_build_object('type', type, 'sampleSize', n, 'medianPricePerM2', round(q[2]), 'q1', round(q[1]), 'q3', round(q[3]))
        ORDER BY n DESC, type) AS prices
    FROM (SELECT type, count(*) AS n,
            CASE WHEN count(*) >= @enough THEN percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY price_m2) END AS q
        FROM close GROUP BY type) t
), price AS (
    SELECT percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY price_m2) AS q, count(*) AS n, count(*) FILTER (WHERE m <= @near) AS near FROM used
)
SELECT coalesce(u.mutation, '') AS id, coalesce(u.date::text, '') AS date, coalesce(u.price, 0) AS price_eur, coalesce(u.type, '') AS type,
    coalesce(u.built, 0) AS built_m2, nullif(u.land, 0) AS land_m2, u.rooms,
    coalesce(round(u.price_m2)::int, 0) AS price_per_m2, coalesce(round(u.m)::int, 0) AS distance_m, coalesce(u.m <= @near AND u.nth <= @limit, false) AS near,
    coalesce(u.comparable, false) AS comparable, coalesce(round(e.q[2])::int, 0) AS median_price_per_m2, coalesce(round(e.q[1])::int, 0) AS q1, coalesce(round(e.q[3])::int, 0) AS q3,
    e.n AS sample_size,
    r.metres::int AS radius_m, coalesce(greatest(p.since + 1, p.first)::text, '') AS period_from, coalesce(p.until::text, '') AS period_to, e.near + (SELECT count(*) FROM other) AS total,
    coalesce(b.prices, '[]') AS by_type
FROM price e CROSS JOIN radius r CROSS JOIN period p CROSS JOIN by_type b LEFT JOIN
    (SELECT used.*, true AS comparable FROM used WHERE nth <= @used UNION ALL SELECT other.*, false FROM other WHERE nth <= @limit) u ON true
ORDER BY u.m, u.date DESC, u.mutation
