-- The exposure of a parcel to clay shrinkage and swelling: the class of the largest part of it, and the highest. Of
-- several maps that cover the place, of France and of the département, the newest is used.
-- Indexes: enrich_rga_geom_idx, coverage_pkey, load_pkey. A few parts, some hundred for a large parcel. One row.
WITH here AS MATERIALIZED (
    SELECT p.shape, w.whole, w.metres
    -- OFFSET 0: the parcel is measured once, not for each part of it.
    FROM (SELECT ST_Area(@shape::geometry) AS whole, ST_Area(@shape::geometry::geography) AS metres OFFSET 0) w,
        ST_Subdivide(@shape::geometry, 128) p(shape)
), hits AS (
    SELECT t.part, (t.attrs->>'level')::integer AS level, sum(geo.overlap(h.shape, t.geom)) AS covered, h.whole, h.metres
    FROM here h JOIN geo.enrich_rga t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY 1, 2, h.whole, h.metres
), newest AS (
    SELECT CASE WHEN l.demonstration THEN 'demonstration' ELSE concat_ws('/', l.source, nullif(l.scope, '')) END AS part
    FROM geo.coverage c JOIN geo.load l ON l.id = c.load_id AND l.active
    WHERE c.layer = 'rga' AND c.area IN ('', @departement, @commune)
    ORDER BY l.vintage DESC NULLS LAST, l.id DESC LIMIT 1
), levels AS MATERIALIZED (
    SELECT level, covered, whole FROM hits JOIN newest USING (part)
    WHERE covered >= 0.005 * whole OR covered * metres >= whole
)
SELECT (SELECT json_build_object('level', l.level,
        'label', CASE l.level WHEN 1 THEN 'faible' WHEN 2 THEN 'moyen' WHEN 3 THEN 'fort' END,
        'sharePct', geo.share(l.covered, l.whole), 'maxLevel', (SELECT max(level) FROM levels))
    FROM levels l ORDER BY l.covered DESC, l.level DESC LIMIT 1)
