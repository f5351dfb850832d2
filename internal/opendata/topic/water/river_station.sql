-- The three nearest river-quality stations.
-- Index: enrich_river_station_geom_idx, first for the three nearest in degrees, then for the bounding box that is
-- certain to hold the three nearest in metres. Tens of rows.
WITH here AS MATERIALIZED (SELECT @shape::geometry AS shape, @shape::geometry::geography AS place),
candidates AS MATERIALIZED (
    SELECT least(max(ST_Distance(t.geom::geography, h.place)), @radius) AS metres
    FROM here h CROSS JOIN LATERAL (
        SELECT s.geom FROM geo.enrich_river_station s ORDER BY s.geom <-> h.shape LIMIT 3) t
)
SELECT s.id AS station_id, s.attrs->>'name' AS name, s.attrs->>'watercourse' AS watercourse, (s.attrs->>'altitudeM')::int AS altitude_m,
    round(d.metres)::int AS distance_m, s.attrs->>'lastSample' AS last_sample
FROM here h CROSS JOIN candidates c
JOIN geo.enrich_river_station s ON s.geom && geo.around(h.shape, c.metres)
CROSS JOIN LATERAL (SELECT ST_Distance(s.geom::geography, h.place) AS metres OFFSET 0) d
WHERE d.metres <= c.metres
ORDER BY d.metres, s.id, s.part LIMIT 3
