-- The areas of major flood risk that a parcel lies in: flooded areas, the most frequent flood first, and the outline of
-- the territory, which has no scenario, after them.
-- Index: enrich_tri_geom; some hundred pieces for a large parcel. At most 30 rows of the list. One row.
WITH here AS MATERIALIZED (
    SELECT p.shape, ST_Area(p.shape::geography) AS m2 FROM (SELECT @shape::geometry AS shape) p
), hits AS MATERIALIZED (
    -- The areas of one flood may lie on each other: what counts is their union.
    SELECT t.attrs, h.m2 AS whole,
        ST_Area(ST_Union(ST_CollectionExtract(ST_Intersection(t.geom, h.shape), 3))::geography) AS m2
    FROM here h JOIN geo.enrich_tri t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY t.attrs, h.m2
), kept AS MATERIALIZED (
    SELECT * FROM hits WHERE m2 >= 1 OR m2 >= 0.005 * whole
), listed AS (
    SELECT k.attrs->>'tri' AS id, n.name, k.attrs->>'scenario' AS scenario, k.attrs->>'floodType' AS flood,
        k.attrs->>'watercourse' AS watercourse, geo.share(k.m2, k.whole) AS share, k.m2
    FROM kept k LEFT JOIN LATERAL (
        SELECT min(p.attrs->>'name') AS name FROM kept p
        WHERE p.attrs->>'form' = 'perimeter' AND p.attrs->>'tri' = k.attrs->>'tri') n ON true
    ORDER BY scenario NULLS LAST, m2 DESC, id, flood, watercourse
    LIMIT 30
)
SELECT coalesce(json_agg(json_build_object('id', id, 'name', name, 'scenario', scenario, 'floodType', flood,
    'watercourse', watercourse, 'sharePct', share) ORDER BY scenario NULLS LAST, m2 DESC, id, flood, watercourse), '[]')
FROM listed
