-- The nearest hypermarket.
-- Index: enrich_facility_hypermarket: the nearest in degrees, then the candidates within that distance in metres, a few
-- rows.
WITH here AS MATERIALIZED (
    SELECT @shape::geometry AS shape, @shape::geometry::geography AS place
), near AS MATERIALIZED (
    SELECT h.shape, h.place, least(@radius, ST_Distance(h.place, (SELECT t.geom FROM geo.enrich_facility t
        WHERE t.attrs->>'type' IN ('B101', 'B104') ORDER BY t.geom <-> h.shape LIMIT 1)::geography)) AS most
    FROM here h
)
SELECT t.attrs->>'name' AS name, round(d.m)::int AS distance_m, 'BPE' AS source
FROM near n JOIN geo.enrich_facility t ON t.geom && geo.around(n.shape, n.most)
CROSS JOIN LATERAL (SELECT ST_Distance(t.geom::geography, n.place) AS m) d
WHERE d.m <= @radius AND t.attrs->>'type' IN ('B101', 'B104')
ORDER BY d.m, t.id, t.part LIMIT 1
