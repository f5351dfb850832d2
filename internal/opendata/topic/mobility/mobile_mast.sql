-- The nearest support of mobile antennas, with all operators and generations on it.
-- Indexes: enrich_mobile_mast_geom_idx: the nearest in degrees, then the candidates within that distance in metres,
-- some 10 rows; enrich_mobile_mast_pkey: the rows of one support, at most 20.
WITH here AS MATERIALIZED (
    SELECT @shape::geometry AS shape, @shape::geometry::geography AS place
), near AS MATERIALIZED (
    SELECT h.shape, h.place, least(@radius, ST_Distance(h.place,
        (SELECT t.geom FROM geo.enrich_mobile_mast t ORDER BY t.geom <-> h.shape LIMIT 1)::geography)) AS most
    FROM here h
), nearest AS MATERIALIZED (
    SELECT t.part, t.id, d.m
    FROM near n JOIN geo.enrich_mobile_mast t ON t.geom && geo.around(n.shape, n.most)
    CROSS JOIN LATERAL (SELECT ST_Distance(t.geom::geography, n.place) AS m) d
    WHERE d.m <= @radius
    ORDER BY d.m, t.id, t.part LIMIT 1
)
SELECT n.id AS support_id, array_agg(DISTINCT t.attrs->>'operator') AS operators, array_agg(DISTINCT t.attrs->>'generation') AS generations,
    max((t.attrs->>'heightM')::float8) AS height_m, round(n.m)::int AS distance_m
FROM nearest n JOIN geo.enrich_mobile_mast t ON t.part = n.part AND t.id = n.id
GROUP BY n.id, n.m
