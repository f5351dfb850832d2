-- The nearest airport: of those that a list says have scheduled flights, where one that says so is loaded.
-- Index: enrich_airport_geom_idx: the nearest in degrees, then the candidates within that distance in metres, a few of
-- 150 rows.
WITH here AS MATERIALIZED (
    SELECT @shape::geometry AS shape, @shape::geometry::geography AS place,
        EXISTS (SELECT FROM geo.enrich_airport WHERE attrs ? 'scheduled') AS checked
), near AS MATERIALIZED (
    SELECT h.*, least(@radius, ST_Distance(h.place, (SELECT t.geom FROM geo.enrich_airport t
        WHERE NOT h.checked OR t.attrs ? 'scheduled' ORDER BY t.geom <-> h.shape LIMIT 1)::geography)) AS most
    FROM here h
)
SELECT t.attrs->>'name' AS name, t.attrs->>'iata' AS iata, t.attrs->>'icao' AS icao, round(d.m)::int AS distance_m,
    (t.attrs->>'scheduled')::boolean AS scheduled_flights
FROM near n JOIN geo.enrich_airport t ON t.geom && geo.around(n.shape, n.most) AND (NOT n.checked OR t.attrs ? 'scheduled')
CROSS JOIN LATERAL (SELECT ST_Distance(t.geom::geography, n.place) AS m) d
WHERE d.m <= @radius
ORDER BY d.m, t.id, t.part LIMIT 1
