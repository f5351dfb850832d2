-- The nearest passenger station.
-- Index: enrich_railway_station_geom_idx: the nearest in degrees, then the candidates within that distance in metres, a
-- few of 3 000 rows.
WITH here AS MATERIALIZED (
    SELECT @shape::geometry AS shape, @shape::geometry::geography AS place
), near AS MATERIALIZED (
    SELECT h.*, least(@radius, ST_Distance(h.place,
        (SELECT t.geom FROM geo.enrich_railway_station t ORDER BY t.geom <-> h.shape LIMIT 1)::geography)) AS most
    FROM here h
), found AS (
    SELECT t.part, t.id, t.attrs, ST_Distance(t.geom::geography, n.place) AS m
    FROM near n JOIN geo.enrich_railway_station t ON t.geom && geo.around(n.shape, n.most)
)
SELECT attrs->>'name' AS name, attrs->>'uic' AS uic, round(m)::int AS distance_m
FROM found WHERE m <= @radius ORDER BY m, id, part LIMIT 1
