-- The flood marks near a parcel, the nearest first; some hundred in the densest places. A mark has one row for each
-- flood.
-- Index: enrich_flood_marker_geom_idx.
WITH here AS MATERIALIZED (SELECT @shape::geometry AS shape, @shape::geometry::geography AS place), near AS (
    SELECT DISTINCT ON (t.attrs) t.id, t.attrs, d.m
    FROM here h JOIN geo.enrich_flood_marker t ON t.geom && geo.around(h.shape, @radius)
    CROSS JOIN LATERAL (SELECT ST_Distance(t.geom::geography, h.place) AS m OFFSET 0) d
    WHERE d.m <= @radius
    ORDER BY t.attrs, d.m, t.id
)
SELECT attrs->>'mark' AS id, attrs->>'date' AS date, attrs->>'dateText' AS date_text, (attrs->>'year')::integer AS year,
    (attrs->>'levelM')::float8 AS level_m, (attrs->>'groundM')::float8 AS ground_m, attrs->>'place' AS place,
    round(m)::integer AS distance_m, count(*) OVER () AS total
FROM near ORDER BY m, near.id, attrs LIMIT @limit
