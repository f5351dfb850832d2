-- The three nearest river-quality stations within 20 km.
-- Index: enrich_river_station_geom_idx, first for the three nearest in degrees, then for the bounding box that is
-- certain to hold the three nearest in metres. Tens of rows. One row.
WITH here AS MATERIALIZED (SELECT @shape::geometry AS shape, @shape::geometry::geography AS place),
candidates AS MATERIALIZED (
    SELECT least(max(ST_Distance(t.geom::geography, h.place)), 20000) AS metres
    FROM here h CROSS JOIN LATERAL (
        SELECT s.geom FROM geo.enrich_river_station s ORDER BY s.geom <-> h.shape LIMIT 3) t
)
SELECT coalesce(json_agg(json_build_object('stationId', n.id, 'name', n.attrs->>'name', 'watercourse', n.attrs->>'watercourse',
    'altitudeM', (n.attrs->>'altitudeM')::int, 'distanceM', round(n.metres)::int, 'lastSample', n.attrs->>'lastSample')
    ORDER BY n.metres, n.id), '[]')
FROM (SELECT s.id, s.attrs, d.metres
    FROM here h CROSS JOIN candidates c
    JOIN geo.enrich_river_station s ON s.geom && geo.around(h.shape, c.metres)
    CROSS JOIN LATERAL (SELECT ST_Distance(s.geom::geography, h.place) AS metres OFFSET 0) d
    WHERE d.metres <= c.metres
    ORDER BY d.metres, s.id, s.part LIMIT 3) n
