-- The prescriptions of the local plan that lie on the parcel, the one that covers most of it first. Where both the
-- archive of a document and the national layer are loaded, the archive is read.
-- Index: enrich_plan_prescription_geom_idx. A few rows; some hundred for a forest.
WITH here AS MATERIALIZED (
    SELECT p.shape, w.whole, w.metres
    FROM (SELECT ST_Area(@shape::geometry) AS whole, ST_Area(@shape::geometry::geography) AS metres) w,
        ST_Subdivide(@shape::geometry, 128) p(shape)
), found AS (
    SELECT t.attrs, t.part LIKE '%-national%' AS national, sum(geo.overlap(h.shape, t.geom)) AS covered, h.whole, h.metres
    FROM here h JOIN geo.enrich_plan_prescription t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY t.attrs, national, h.whole, h.metres
), served AS (
    SELECT f.*, rank() OVER (PARTITION BY attrs->>'territory' ORDER BY national) AS nth FROM found f
), listed AS (
    SELECT attrs, covered, whole FROM served
    WHERE nth = 1 AND (covered >= 0.005 * whole OR covered * metres >= whole)
    ORDER BY covered DESC, attrs->>'type', attrs->>'subtype', attrs LIMIT 50
)
SELECT coalesce(json_agg(json_build_object('type', attrs->>'type', 'subtype', attrs->>'subtype', 'label', attrs->>'label',
    'document', attrs->>'document', 'sharePct', geo.share(covered, whole))
    ORDER BY covered DESC, attrs->>'type', attrs->>'subtype', attrs), '[]')
FROM listed
