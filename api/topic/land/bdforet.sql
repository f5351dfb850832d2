-- The forest type that covers most of the parcel. Of several deliveries that cover the place the newest is used.
-- Indexes: enrich_forest_geom_idx, coverage_pkey, load_pkey. A few rows; some hundred for a forest.
WITH here AS MATERIALIZED (
    SELECT p.shape, w.whole, w.metres
    -- OFFSET 0: the parcel is measured once, not for each part of it.
    FROM (SELECT ST_Area(@shape::geometry) AS whole, ST_Area(@shape::geometry::geography) AS metres OFFSET 0) w,
        ST_Subdivide(@shape::geometry, 128) p(shape)
), found AS (
    SELECT t.part, t.attrs, sum(geo.overlap(h.shape, t.geom)) AS covered, h.whole, h.metres
    FROM here h JOIN geo.enrich_forest t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY t.part, t.attrs, h.whole, h.metres
), newest AS (
    SELECT CASE WHEN l.demonstration THEN 'demonstration' ELSE concat_ws('/', l.source, nullif(l.scope, '')) END AS part
    FROM geo.coverage c JOIN geo.load l ON l.id = c.load_id AND l.active
    WHERE c.layer = 'forest' AND c.area IN ('', @departement, @commune)
    ORDER BY l.vintage DESC NULLS LAST, l.id DESC LIMIT 1
)
SELECT (SELECT json_build_object('code', attrs->>'code', 'label', attrs->>'label', 'species', attrs->>'species',
        'year', (attrs->>'year')::integer, 'sharePct', geo.share(covered, whole))
    FROM found JOIN newest USING (part)
    WHERE covered >= 0.005 * whole OR covered * metres >= whole
    ORDER BY covered DESC, attrs LIMIT 1)
