-- The daily traffic of the nearest counted road. Where road lines are loaded: the nearest numbered road with counts, and
-- its count nearest to that point, within @far; it is approximate if the straight line of the count is farther than @same.
-- Without lines the straight line of a count stands for its road.
-- Roads are joined to their counts one by one, the nearest first, until one has some.
-- Indexes: enrich_road_geom_idx (some 50 parts), enrich_road_traffic_geom_idx (some 10 within 500 m, 200 within 20 km).
WITH here AS MATERIALIZED (
    SELECT @shape::geometry AS shape, @shape::geometry::geography AS place, geo.around(@shape::geometry, @radius + 10) AS wide,
        'road' = ANY(@covered::text[]) AS lines, 'road_traffic' = ANY(@covered::text[]) AS counts
), passing AS MATERIALIZED (
    SELECT t.attrs->>'road' AS road, t.part, t.id, t.piece, t.geom, d.m
    FROM here h JOIN geo.enrich_road t ON h.lines AND h.counts AND ST_Intersects(h.wide, t.geom)
    CROSS JOIN LATERAL (
        SELECT CASE WHEN ST_Intersects(h.shape, t.geom) THEN 0 ELSE ST_Distance(t.geom::geography, h.place) END AS m OFFSET 0) d
    WHERE d.m <= @radius
), road AS (
    SELECT DISTINCT ON (road) road, geom, m FROM passing ORDER BY road, m, id, piece, part
), matched AS (
    SELECT r.road, r.m, c.attrs, c.away
    FROM (SELECT road, geom, m FROM road ORDER BY m, road) r
    CROSS JOIN here h
    CROSS JOIN LATERAL (SELECT ST_ClosestPoint(r.geom, h.shape) AS at OFFSET 0) p
    CROSS JOIN LATERAL (
        SELECT t.attrs, d.m AS away
        FROM geo.enrich_road_traffic t CROSS JOIN LATERAL (SELECT geo.metres(t.geom, p.at) AS m OFFSET 0) d
        WHERE t.geom && geo.around(p.at, @far) AND t.attrs->>'road' = r.road AND d.m <= @far
        ORDER BY d.m, (t.attrs->>'year')::int DESC NULLS LAST, t.id LIMIT 1) c
    ORDER BY r.m, r.road LIMIT 1
), chord AS (
    SELECT t.attrs->>'road' AS road, d.m, t.attrs
    FROM here h JOIN geo.enrich_road_traffic t ON h.counts AND NOT h.lines AND t.geom && h.wide
    CROSS JOIN LATERAL (SELECT ST_Distance(t.geom::geography, h.place) AS m OFFSET 0) d
    WHERE d.m <= @radius
    ORDER BY d.m, (t.attrs->>'year')::int DESC NULLS LAST, t.id LIMIT 1
)
SELECT road, (attrs->>'aadt')::int AS aadt, (attrs->>'heavyPct')::float8 AS heavy_pct, (attrs->>'year')::int AS year,
    round(m)::int AS distance_m, approximated
FROM (SELECT road, m, attrs, away > @same AS approximated FROM matched
    UNION ALL SELECT road, m, attrs, true FROM chord) n
ORDER BY m, road LIMIT 1
