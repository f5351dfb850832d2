-- The addresses of a parcel, the best first: those whose position lies inside it, else those that the producer links to
-- it, else the nearest one within a radius. An address with several positions counts once. Where
-- an address was asked for it may be any of them: more are given to choose from.
-- Indexes: adresse_geom_idx, by parts of the subdivided polygon (the bounding box of a long parcel holds half a town,
-- and comparing with the whole polygon of a forest is slow), and adresse_parcels_idx. Some tens of rows; hundreds for a
-- large estate.
WITH place AS MATERIALIZED (SELECT @shape::geometry AS shape, cos(radians(ST_Y(ST_Centroid(ST_Envelope(@shape::geometry))))) AS k),
piece AS MATERIALIZED (
    SELECT d.shape, geo.flat(d.shape, p.k) AS flat, p.k, geo.around(d.shape, @radius) AS wide FROM place p, ST_Subdivide(p.shape, 128) AS d(shape)
),
inside AS MATERIALIZED (
    SELECT a.*, 'inside' AS match, 0::double precision AS m
    FROM piece p JOIN geo.adresse a ON a.geom && p.shape AND ST_Intersects(p.shape, a.geom)
), listed AS MATERIALIZED (
    SELECT a.*, 'cadastre' AS match, geo.point_metres(a.geom, geo.flat(h.shape, h.k), h.k) AS m
    FROM place h JOIN geo.adresse a ON a.parcels @> ARRAY[@idu::text]
    WHERE NOT EXISTS (SELECT FROM inside)
), near AS (
    SELECT a.*, 'nearest' AS match, d.m
    FROM piece p JOIN geo.adresse a ON a.geom && p.wide
        CROSS JOIN LATERAL (SELECT geo.point_metres(a.geom, p.flat, p.k) AS m OFFSET 0) d
    WHERE d.m <= @radius AND NOT EXISTS (SELECT FROM inside) AND NOT EXISTS (SELECT FROM listed)
       
    ORDER BY d.m, a.certified DESC NULLS LAST, a.position_type IS DISTINCT FROM 'entrée', a.numero, a.rep NULLS FIRST, a.id, a.part, a.place
    LIMIT 1
), single AS (
    SELECT DISTINCT ON (id) * FROM (SELECT * FROM inside UNION ALL SELECT * FROM listed UNION ALL SELECT * FROM near) a
    ORDER BY id, certified DESC NULLS LAST, position_type IS DISTINCT FROM 'entrée', m, part, place
)
SELECT id, concat_ws(' ', numero, rep, coalesce(street, lieu_dit), postcode, commune) AS label,
    nullif(concat_ws(' ', numero, rep), '') AS housenumber, coalesce(street, lieu_dit) AS street, postcode, commune, code_insee,
    round(ST_X(geom)::numeric, 6) AS lon, round(ST_Y(geom)::numeric, 6) AS lat, position_type, certified, match, round(m)::int AS distance_m, count(*) OVER () AS total
FROM single
ORDER BY certified DESC NULLS LAST, position_type IS DISTINCT FROM 'entrée', numero, rep NULLS FIRST, single.id
LIMIT CASE WHEN @address::text = '' THEN @limit::integer ELSE 10 * @limit::integer END
