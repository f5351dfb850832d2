-- The exposure of a parcel to clay shrinkage and swelling: the class of the largest part of it, and the highest. Of
-- several maps that cover the place, of France and of the département, the newest is used.
-- Indexes: enrich_rga_geom_idx, coverage_pkey, load_pkey. A few parts, some hundred for a large parcel.
WITH here AS MATERIALIZED (
    SELECT shape, whole, metres FROM geo.subdivide(@shape::geometry)
), hits AS (
    SELECT t.part, (t.attrs->>'level')::integer AS level, sum(geo.overlap(h.shape, t.geom)) AS covered, h.whole, h.metres
    FROM here h JOIN geo.enrich_rga t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY 1, 2, h.whole, h.metres
), newest AS (
    SELECT part FROM geo.newest_part('rga', @departement, @commune)
)
SELECT level, CASE level WHEN 1 THEN 'faible' WHEN 2 THEN 'moyen' WHEN 3 THEN 'fort' END AS label,
    geo.share(covered, whole) AS share_pct, max(level) OVER () AS max_level
FROM hits JOIN newest USING (part) WHERE NOT geo.is_sliver(covered, whole, metres)
ORDER BY covered DESC, level DESC LIMIT 1
