-- What grows on the parcel by kind, the largest area first. Polygons lie in one another, a hedge in a wood: the shares
-- of all kinds may add up to more than the parcel.
-- Index: enrich_vegetation_geom_idx. A few rows; a thousand for a forest.
WITH here AS MATERIALIZED (
    SELECT p.shape, w.whole, w.metres
    FROM (SELECT ST_Area(@shape::geometry) AS whole, ST_Area(@shape::geometry::geography) AS metres) w,
        ST_Subdivide(@shape::geometry, 128) p(shape)
), found AS (
    SELECT t.attrs->>'nature' AS nature, sum(geo.overlap(h.shape, t.geom)) AS covered, h.whole, h.metres
    FROM here h JOIN geo.enrich_vegetation t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY 1, h.whole, h.metres
)
SELECT coalesce(json_agg(json_build_object('nature', nature, 'areaM2', round(covered / whole * metres)::bigint,
    'sharePct', geo.share(covered, whole)) ORDER BY covered DESC, nature), '[]')
FROM found
WHERE covered >= 0.005 * whole OR covered * metres >= whole
