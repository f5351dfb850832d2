-- The nearest airport within 200 km.
-- Index: enrich_airport_geom_idx: the nearest in degrees, then the candidates within that distance in metres, a few of
-- 150 rows.
WITH here AS MATERIALIZED (
    SELECT @shape::geometry AS shape, @shape::geometry::geography AS place
), near AS MATERIALIZED (
    SELECT h.shape, h.place, least(200000, ST_Distance(h.place,
        (SELECT t.geom FROM geo.enrich_airport t ORDER BY t.geom <-> h.shape LIMIT 1)::geography)) AS most
    FROM here h
)
SELECT (
    SELECT json_build_object('name', t.attrs->>'name', 'iata', t.attrs->>'iata', 'icao', t.attrs->>'icao', 'distanceM', round(d.m)::int)
    FROM near n JOIN geo.enrich_airport t ON t.geom && geo.around(n.shape, n.most)
    CROSS JOIN LATERAL (SELECT ST_Distance(t.geom::geography, n.place) AS m) d
    WHERE d.m <= 200000
    ORDER BY d.m, t.id, t.part LIMIT 1)
