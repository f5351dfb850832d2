-- The vegetation on the parcel by kind, the largest area first. Polygons overlap, such as a hedge in a wood: the shares
-- of all kinds may add up to more than 100 %. Each delivery holds everything that touches its extent: of several that
-- cover the place the newest is used.
-- Indexes: enrich_vegetation_geom_idx, coverage_pkey, load_pkey. A few rows; a thousand for a forest.
WITH here AS MATERIALIZED (
    SELECT shape, whole, metres FROM geo.subdivide(@shape::geometry)
), found AS (
    SELECT t.part, t.attrs->>'nature' AS nature, sum(geo.overlap(h.shape, t.geom)) AS covered, h.whole, h.metres
    FROM here h JOIN geo.enrich_vegetation t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY 1, 2, h.whole, h.metres
), newest AS (
    SELECT part FROM geo.newest_part('vegetation', @departement, @commune)
)
SELECT nature, round(covered / whole * metres)::bigint AS area_m2, geo.share(covered, whole) AS share_pct
FROM found JOIN newest USING (part) WHERE NOT geo.is_sliver(covered, whole, metres)
ORDER BY covered DESC, nature
