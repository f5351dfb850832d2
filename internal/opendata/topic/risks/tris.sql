-- The areas of major flood risk that a parcel lies in: flooded areas, the most frequent flood first, and the outline of
-- the territory, which has no scenario, after them.
-- Index: enrich_tri_geom_idx; some hundred parts for a large parcel.
WITH here AS MATERIALIZED (
    SELECT shape, whole, metres FROM geo.subdivide(@shape::geometry)
), hits AS MATERIALIZED (
    -- The areas of one flood may overlap: they are unioned.
    SELECT t.attrs, ST_Area(ST_Union(ST_CollectionExtract(ST_Intersection(t.geom, h.shape), 3))) AS covered, h.whole, h.metres
    FROM here h JOIN geo.enrich_tri t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY t.attrs, h.whole, h.metres
), kept AS MATERIALIZED (
    SELECT attrs, covered, whole FROM hits WHERE NOT geo.is_sliver(covered, whole, metres)
)
SELECT k.attrs->>'tri' AS id, n.name, k.attrs->>'scenario' AS scenario, k.attrs->>'floodType' AS flood_type,
    k.attrs->>'watercourse' AS watercourse, geo.share(k.covered, k.whole) AS share_pct, count(*) OVER () AS total
FROM kept k LEFT JOIN LATERAL (
    SELECT min(p.attrs->>'name') AS name FROM kept p
    WHERE p.attrs->>'form' = 'perimeter' AND p.attrs->>'tri' = k.attrs->>'tri') n ON true
ORDER BY scenario NULLS LAST, k.covered DESC, id, flood_type, watercourse
LIMIT @limit
