-- The delimited wine areas that the parcel lies in, the one that covers most of it first. A file may join several
-- names, lack the appellation, or have no name at all; where two files hold one area, the one with more detail is used.
-- Index: enrich_aoc_geom_idx. One to twenty rows.
WITH here AS MATERIALIZED (
    SELECT shape, whole, metres FROM geo.subdivide(@shape::geometry)
), found AS MATERIALIZED (
    SELECT t.attrs->>'appellation' AS appellation, d.denomination, sum(geo.overlap(h.shape, t.geom)) AS covered, h.whole, h.metres
    FROM here h JOIN geo.enrich_aoc t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    LEFT JOIN LATERAL jsonb_array_elements_text(t.attrs->'denominations') d(denomination) ON true
    GROUP BY t.part, 1, 2, h.whole, h.metres
), served AS (
    SELECT DISTINCT ON (coalesce(denomination, appellation)) appellation, denomination, covered, whole
    FROM found
    WHERE NOT geo.is_sliver(covered, whole, metres)
        AND (coalesce(denomination, appellation) IS NOT NULL
            OR NOT EXISTS (SELECT FROM found o WHERE coalesce(o.denomination, o.appellation) IS NOT NULL))
    ORDER BY coalesce(denomination, appellation), appellation NULLS LAST, covered DESC
)
SELECT appellation, denomination, geo.share(covered, whole) AS share_pct, count(*) OVER () AS total
FROM served ORDER BY covered DESC, denomination, appellation LIMIT @limit
