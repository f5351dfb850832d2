-- The priority district that the parcel lies in, the one that covers most of it.
-- Index: enrich_qpv_geom_idx. One or two rows.
WITH here AS MATERIALIZED (
    SELECT shape, whole, metres FROM geo.subdivide(@shape::geometry)
), found AS (
    SELECT t.id, t.attrs, sum(geo.overlap(h.shape, t.geom)) AS covered, h.whole, h.metres
    FROM here h JOIN geo.enrich_qpv t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY t.part, t.id, t.attrs, h.whole, h.metres
)
SELECT id AS code, attrs->>'name' AS name, geo.share(covered, whole) AS share_pct
FROM found WHERE NOT geo.is_sliver(covered, whole, metres)
ORDER BY covered DESC, id LIMIT 1
