-- The prescriptions of the local plan on the parcel, the one that covers most of it first. Where both the archive of a
-- document and the national layer are loaded, the archive is used; of the archives that cover the commune the newest,
-- and a PSMV.
-- Indexes: enrich_plan_prescription_geom_idx, coverage_pkey, load_pkey. A few rows; some hundred for a forest.
WITH here AS MATERIALIZED (
    SELECT shape, whole, metres FROM geo.subdivide(@shape::geometry)
), found AS (
    SELECT t.part, t.attrs, t.part LIKE '%-national%' AS national, sum(geo.overlap(h.shape, t.geom)) AS covered, h.whole, h.metres
    FROM here h JOIN geo.enrich_plan_prescription t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY t.part, t.attrs, h.whole, h.metres
), superseded AS (
    SELECT part FROM (
        SELECT l.source || '/' || l.scope AS part, rank() OVER (ORDER BY l.vintage DESC) AS nth
        FROM geo.coverage c JOIN geo.load l ON l.id = c.load_id AND l.active
        WHERE c.layer = 'plan_prescription' AND c.area = @commune AND l.source = 'gpu-prescriptions' AND l.scope NOT LIKE '%\_PSMV%') d
    WHERE nth > 1
), served AS (
    SELECT attrs, max(covered) AS covered, whole, metres, rank() OVER (PARTITION BY attrs->>'territory' ORDER BY national) AS nth
    FROM found WHERE part NOT IN (SELECT part FROM superseded)
    GROUP BY attrs, national, whole, metres
)
SELECT attrs->>'type' AS type, attrs->>'subtype' AS subtype, attrs->>'label' AS label, attrs->>'document' AS document,
    attrs->>'regulation' AS regulation, attrs->>'regulationUrl' AS regulation_url, geo.share(covered, whole) AS share_pct, count(*) OVER () AS total
FROM served WHERE nth = 1 AND NOT geo.is_sliver(covered, whole, metres)
ORDER BY covered DESC, attrs->>'type', attrs->>'subtype', attrs LIMIT @limit
