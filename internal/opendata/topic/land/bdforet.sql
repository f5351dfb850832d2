-- The forest type that covers most of the parcel. Of several deliveries that cover the place the newest is used.
-- Indexes: enrich_forest_geom_idx, coverage_pkey, load_pkey. A few rows; some hundred for a forest.
WITH here AS MATERIALIZED (
    SELECT shape, whole, metres FROM geo.subdivide(@shape::geometry)
), found AS (
    SELECT t.part, t.attrs, sum(geo.overlap(h.shape, t.geom)) AS covered, h.whole, h.metres
    FROM here h JOIN geo.enrich_forest t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY t.part, t.attrs, h.whole, h.metres
), newest AS (
    SELECT part FROM geo.newest_part('forest', @departement, @commune)
)
SELECT attrs->>'code' AS code, attrs->>'label' AS label, attrs->>'species' AS species, (attrs->>'year')::integer AS year,
    geo.share(covered, whole) AS share_pct
FROM found JOIN newest USING (part) WHERE NOT geo.is_sliver(covered, whole, metres)
ORDER BY covered DESC, attrs LIMIT 1
