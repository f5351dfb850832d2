-- The delimited wine areas that the parcel lies in, the one that covers most of it first. A file may join several
-- names, lack the appellation, or have no name at all; where two files hold one area, the one with more detail is used.
-- Index: enrich_aoc_geom_idx. One to twenty rows.
WITH here AS MATERIALIZED (
    SELECT p.shape, w.whole, w.metres
    -- OFFSET 0: the parcel is measured once, not for each part of it.
    FROM (SELECT ST_Area(@shape::geometry) AS whole, ST_Area(@shape::geometry::geography) AS metres OFFSET 0) w,
        ST_Subdivide(@shape::geometry, 128) p(shape)
), found AS MATERIALIZED (
    SELECT t.attrs->>'appellation' AS appellation, d.denomination, sum(geo.overlap(h.shape, t.geom)) AS covered, h.whole, h.metres
    FROM here h JOIN geo.enrich_aoc t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    LEFT JOIN LATERAL jsonb_array_elements_text(t.attrs->'denominations') d(denomination) ON true
    GROUP BY t.part, 1, 2, h.whole, h.metres
), served AS (
    SELECT DISTINCT ON (coalesce(denomination, appellation)) appellation, denomination, covered, whole
    FROM found
    WHERE (covered >= 0.005 * whole OR covered * metres >= whole)
        AND (coalesce(denomination, appellation) IS NOT NULL
            OR NOT EXISTS (SELECT FROM found o WHERE coalesce(o.denomination, o.appellation) IS NOT NULL))
    ORDER BY coalesce(denomination, appellation), appellation NULLS LAST, covered DESC
), listed AS (
    SELECT * FROM served ORDER BY covered DESC, denomination, appellation LIMIT 30
)
SELECT coalesce(json_agg(json_build_object('appellation', appellation, 'denomination', denomination,
    'sharePct', geo.share(covered, whole)) ORDER BY covered DESC, denomination, appellation), '[]')
FROM listed
