-- Whether the parcel is farmed organically: the stage of certification that covers most of it.
-- Index: enrich_rpg_bio_geom_idx. One to ten rows.
WITH here AS MATERIALIZED (
    SELECT p.shape, w.whole, w.metres
    -- OFFSET 0: the parcel is measured once, not for each part of it.
    FROM (SELECT ST_Area(@shape::geometry) AS whole, ST_Area(@shape::geometry::geography) AS metres OFFSET 0) w,
        ST_Subdivide(@shape::geometry, 128) p(shape)
), found AS (
    SELECT t.attrs->>'stage' AS stage, (t.attrs->>'year')::integer AS year, sum(geo.overlap(h.shape, t.geom)) AS covered,
        h.whole, h.metres
    FROM here h JOIN geo.enrich_rpg_bio t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY 1, 2, t.part, h.whole, h.metres
)
SELECT (SELECT json_build_object('certified', stage = 'AB', 'stage', stage, 'year', year, 'sharePct', geo.share(covered, whole))
    FROM found
    WHERE covered >= 0.005 * whole OR covered * metres >= whole
    -- Of two files with the same fields, the newer one, then the one that has the stage.
    ORDER BY year DESC, stage IS NULL, covered DESC, stage LIMIT 1)
