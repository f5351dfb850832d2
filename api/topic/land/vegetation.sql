-- The vegetation on the parcel by kind, the largest area first. Polygons overlap, such as a hedge in a wood: the shares
-- of all kinds may add up to more than 100 %. Each delivery holds everything that touches its extent: of several that
-- cover the place the newest is used.
-- Indexes: enrich_vegetation_geom_idx, coverage_pkey, load_pkey. A few rows; a thousand for a forest.
WITH here AS MATERIALIZED (
    SELECT p.shape, w.whole, w.metres
    -- OFFSET 0: the parcel is measured once, not for each part of it.
    FROM (SELECT ST_Area(@shape::geometry) AS whole, ST_Area(@shape::geometry::geography) AS metres OFFSET 0) w,
        ST_Subdivide(@shape::geometry, 128) p(shape)
), found AS (
    SELECT t.part, t.attrs->>'nature' AS nature, sum(geo.overlap(h.shape, t.geom)) AS covered, h.whole, h.metres
    FROM here h JOIN geo.enrich_vegetation t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY 1, 2, h.whole, h.metres
), newest AS (
    SELECT CASE WHEN l.demonstration THEN 'demonstration' ELSE concat_ws('/', l.source, nullif(l.scope, '')) END AS part
    FROM geo.coverage c JOIN geo.load l ON l.id = c.load_id AND l.active
    WHERE c.layer = 'vegetation' AND c.area IN ('', @departement, @commune)
    ORDER BY l.vintage DESC NULLS LAST, l.id DESC LIMIT 1
)
SELECT coalesce(json_agg(json_build_object('nature', nature, 'areaM2', round(covered / whole * metres)::bigint,
    'sharePct', geo.share(covered, whole)) ORDER BY covered DESC, nature), '[]')
FROM found JOIN newest USING (part)
WHERE covered >= 0.005 * whole OR covered * metres >= whole
