-- The flood marks within 500 m of a parcel, the nearest first; some hundred in the densest places. A mark has one row
-- for each flood.
-- Index: enrich_flood_marker_geom_idx. At most 20 items. One row.
WITH here AS MATERIALIZED (SELECT @shape::geometry AS shape, @shape::geometry::geography AS place), near AS (
    SELECT DISTINCT ON (t.attrs) t.id, t.attrs, d.m
    FROM here h JOIN geo.enrich_flood_marker t ON t.geom && geo.around(h.shape, 500)
    CROSS JOIN LATERAL (SELECT ST_Distance(t.geom::geography, h.place) AS m OFFSET 0) d
    WHERE d.m <= 500
    ORDER BY t.attrs, d.m, t.id
)
SELECT coalesce(json_agg(json_build_object('id', attrs->>'mark', 'date', attrs->>'date', 'dateText', attrs->>'dateText',
    'year', attrs->'year', 'levelM', attrs->'levelM', 'groundM', attrs->'groundM', 'place', attrs->>'place',
    'distanceM', round(m)::integer) ORDER BY m, id, attrs), '[]')
FROM (SELECT * FROM near ORDER BY m, id, attrs LIMIT 20) n
