-- The areas of major flood risk that a parcel lies in: flooded areas, the most frequent flood first, and the outline of
-- the territory, which has no scenario, after them.
-- Index: enrich_tri_geom_idx; some hundred parts for a large parcel. At most 30 items. One row.
WITH here AS MATERIALIZED (
    SELECT p.shape, w.whole, w.metres
    -- OFFSET 0: the parcel is measured once, not for each part of it.
    FROM (SELECT ST_Area(@shape::geometry) AS whole, ST_Area(@shape::geometry::geography) AS metres OFFSET 0) w,
        ST_Subdivide(@shape::geometry, 128) p(shape)
), hits AS MATERIALIZED (
    -- The areas of one flood may overlap: they are unioned.
    SELECT t.attrs, ST_Area(ST_Union(ST_CollectionExtract(ST_Intersection(t.geom, h.shape), 3))) AS covered, h.whole, h.metres
    FROM here h JOIN geo.enrich_tri t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY t.attrs, h.whole, h.metres
), kept AS MATERIALIZED (
    SELECT * FROM hits WHERE covered >= 0.005 * whole OR covered * metres >= whole
), listed AS (
    SELECT k.attrs->>'tri' AS id, n.name, k.attrs->>'scenario' AS scenario, k.attrs->>'floodType' AS flood,
        k.attrs->>'watercourse' AS watercourse, geo.share(k.covered, k.whole) AS share, k.covered
    FROM kept k LEFT JOIN LATERAL (
        SELECT min(p.attrs->>'name') AS name FROM kept p
        WHERE p.attrs->>'form' = 'perimeter' AND p.attrs->>'tri' = k.attrs->>'tri') n ON true
    ORDER BY scenario NULLS LAST, covered DESC, id, flood, watercourse
    LIMIT 30
)
SELECT coalesce(json_agg(json_build_object('id', id, 'name', name, 'scenario', scenario, 'floodType', flood,
    'watercourse', watercourse, 'sharePct', share) ORDER BY scenario NULLS LAST, covered DESC, id, flood, watercourse), '[]')
FROM listed
