-- The nearest marketplace within 50 km.
-- Index: enrich_marketplace_geom_idx: the nearest in degrees, then the candidates within that distance in metres, a few
-- rows.
WITH here AS MATERIALIZED (
    SELECT @shape::geometry AS shape, @shape::geometry::geography AS place
), near AS MATERIALIZED (
    SELECT h.shape, h.place, least(50000, ST_Distance(h.place,
        (SELECT t.geom FROM geo.enrich_marketplace t ORDER BY t.geom <-> h.shape LIMIT 1)::geography)) AS most
    FROM here h
)
SELECT (
    SELECT json_build_object('name', t.attrs->>'name', 'distanceM', round(d.m)::int, 'source', 'OpenStreetMap')
    FROM near n JOIN geo.enrich_marketplace t ON t.geom && geo.around(n.shape, n.most)
    CROSS JOIN LATERAL (SELECT ST_Distance(t.geom::geography, n.place) AS m) d
    WHERE d.m <= 50000
    ORDER BY d.m, t.id, t.part LIMIT 1)
