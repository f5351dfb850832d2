-- Whether the parcel is farmed organically: the stage of certification that covers most of it.
-- Index: enrich_rpg_bio_geom_idx. One to ten rows.
WITH here AS MATERIALIZED (
    SELECT shape, whole, metres FROM geo.subdivide(@shape::geometry)
), found AS (
    SELECT t.attrs->>'stage' AS stage, (t.attrs->>'year')::integer AS year, sum(geo.overlap(h.shape, t.geom)) AS covered,
        h.whole, h.metres
    FROM here h JOIN geo.enrich_rpg_bio t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY 1, 2, t.part, h.whole, h.metres
)
SELECT stage = 'AB' AS certified, stage, year, geo.share(covered, whole) AS share_pct
FROM found WHERE NOT geo.is_sliver(covered, whole, metres)
-- Of two files with the same fields, the newer one, then the one that has the stage.
ORDER BY year DESC, stage IS NULL, covered DESC, stage LIMIT 1
