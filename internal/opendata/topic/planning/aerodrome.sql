-- The noise zones of aerodromes that the parcel lies in, the one that covers most of it first. The shapes of one zone are
-- unioned before they are measured.
-- Index: enrich_aerodrome_easement_geom_idx. A few rows.
WITH here AS MATERIALIZED (
    SELECT shape, whole, metres FROM geo.subdivide(@shape::geometry)
), named AS (
    SELECT t.attrs->>'kind' AS kind, t.attrs->>'zone' AS zone, t.attrs->>'name' AS aerodrome,
        ST_Area(ST_Union(ST_CollectionExtract(ST_Intersection(t.geom, h.shape), 3))) AS covered, h.whole, h.metres
    FROM here h JOIN geo.enrich_aerodrome_easement t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY 1, 2, 3, h.whole, h.metres
)
SELECT kind, zone, aerodrome, geo.share(covered, whole) AS share_pct, count(*) OVER () AS total
FROM named WHERE NOT geo.is_sliver(covered, whole, metres)
ORDER BY covered DESC, kind, zone, aerodrome LIMIT @limit
