-- The daily traffic of the nearest counted road within 500 m. Where lines of roads are loaded, the nearest numbered road
-- that is counted, and its count nearest to the place where it passes; it is an approximation when that count is of a
-- stretch elsewhere: its straight line is farther than 2 km from there (the limit: 20 km). Without lines the straight
-- line of a count stands for its road.
-- Indexes: enrich_road_geom_idx (some 50 pieces), enrich_road_traffic_geom_idx (some 10 within 500 m, 200 within 20 km).
WITH here AS MATERIALIZED (
    SELECT @shape::geometry AS shape, @shape::geometry::geography AS place, 'road' = ANY(@covered::text[]) AS lines, 'road_traffic' = ANY(@covered::text[]) AS counts
), passing AS MATERIALIZED (
    SELECT t.attrs->>'road' AS road, t.geom, d.m
    FROM here h JOIN geo.enrich_road t ON h.lines AND h.counts AND t.geom && geo.around(h.shape, 500)
    CROSS JOIN LATERAL (SELECT ST_Distance(t.geom::geography, h.place) AS m) d
    WHERE d.m <= 500
), matched AS (
    SELECT r.road, r.m, c.attrs, c.away
    FROM (SELECT DISTINCT ON (road) road, geom, m FROM passing ORDER BY road, m) r
    CROSS JOIN here h
    CROSS JOIN LATERAL (SELECT ST_SetSRID(ST_ClosestPoint(r.geom, h.shape), 4326) AS at) p
    CROSS JOIN LATERAL (
        SELECT t.attrs, d.m AS away
        FROM geo.enrich_road_traffic t CROSS JOIN LATERAL (SELECT geo.metres(t.geom, p.at) AS m) d
        WHERE t.geom && geo.around(p.at, 20000) AND t.attrs->>'road' = r.road AND d.m <= 20000
        ORDER BY d.m, (t.attrs->>'year')::int DESC NULLS LAST, t.id LIMIT 1) c
), chord AS (
    SELECT t.attrs->>'road' AS road, d.m, t.attrs
    FROM here h JOIN geo.enrich_road_traffic t ON h.counts AND NOT h.lines AND t.geom && geo.around(h.shape, 500)
    CROSS JOIN LATERAL (SELECT ST_Distance(t.geom::geography, h.place) AS m) d
    WHERE d.m <= 500
    ORDER BY d.m, (t.attrs->>'year')::int DESC NULLS LAST, t.id LIMIT 1
)
SELECT (
    SELECT json_build_object('road', road, 'aadt', (attrs->>'aadt')::int, 'heavyPct', (attrs->>'heavyPct')::float8,
        'year', (attrs->>'year')::int, 'distanceM', round(m)::int, 'approximated', approximated)
    FROM (SELECT road, m, attrs, away > 2000 AS approximated FROM matched
        UNION ALL SELECT road, m, attrs, true FROM chord) n
    ORDER BY m, road LIMIT 1)
