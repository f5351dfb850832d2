-- The addresses in and around a parcel: those whose position lies inside it, those that the producer links to it, and those
-- up to a radius away, which may belong to another parcel. An address with several positions counts once. More are given
-- than an answer has, to choose from.
-- Indexes: adresse_geom_idx, by parts of the subdivided polygon (the bounding box of a long parcel holds half a town,
-- and comparing with the whole polygon of a forest is slow), and adresse_parcels_idx. Some tens of rows; hundreds for a
-- large estate.
WITH place AS MATERIALIZED (SELECT @shape::geometry AS shape, cos(radians(ST_Y(ST_Centroid(ST_Envelope(@shape::geometry))))) AS k),
piece AS MATERIALIZED (
    SELECT d.shape, geo.flat(d.shape, p.k) AS flat, p.k, geo.around(d.shape, @radius) AS wide FROM place p, ST_Subdivide(p.shape, 128) AS d(shape)
), around AS MATERIALIZED (
    SELECT a.*, d.m
    FROM piece p JOIN geo.adresse a ON a.geom && p.wide
        CROSS JOIN LATERAL (SELECT CASE WHEN ST_Intersects(p.shape, a.geom) THEN 0 ELSE geo.point_metres(a.geom, p.flat, p.k) END AS m OFFSET 0) d
    WHERE d.m <= @radius
), listed AS (
    SELECT a.*, geo.point_metres(a.geom, geo.flat(h.shape, h.k), h.k) AS m
    FROM place h JOIN geo.adresse a ON a.parcels @> ARRAY[@idu::text]
), single AS (
    SELECT DISTINCT ON (id) *
    FROM (SELECT around.*, CASE WHEN m = 0 THEN 'inside' WHEN parcels @> ARRAY[@idu::text] THEN 'cadastre' ELSE 'near' END AS match FROM around
        UNION ALL SELECT listed.*, 'cadastre' FROM listed) a
    ORDER BY id, array_position(ARRAY['inside', 'cadastre', 'near'], match), certified DESC NULLS LAST, position_type IS DISTINCT FROM 'entrée', m, part, place
)
SELECT id, concat_ws(' ', numero, rep, coalesce(street, lieu_dit), postcode, commune) AS label,
    nullif(concat_ws(' ', numero, rep), '') AS housenumber, coalesce(street, lieu_dit) AS street, postcode, commune, code_insee,
    round(ST_X(geom)::numeric, 6) AS lon, round(ST_Y(geom)::numeric, 6) AS lat, position_type, certified, match,
    CASE WHEN m = 0 THEN 0 ELSE greatest(1, round(m)::int) END AS distance_m, count(*) FILTER (WHERE match <> 'near') OVER () AS total
FROM single
ORDER BY array_position(ARRAY['inside', 'cadastre', 'near'], match), CASE WHEN match = 'near' THEN m END, certified DESC NULLS LAST, position_type IS DISTINCT FROM 'entrée', numero,
    rep NULLS FIRST, id
LIMIT @candidates::integer
