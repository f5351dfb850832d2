-- The forest that covers most of the parcel.
-- Index: enrich_forest_geom_idx. A few rows; some hundred for a forest.
WITH here AS MATERIALIZED (
    SELECT p.shape, w.whole, w.metres
    FROM (SELECT ST_Area(@shape::geometry) AS whole, ST_Area(@shape::geometry::geography) AS metres) w,
        ST_Subdivide(@shape::geometry, 128) p(shape)
), found AS (
    SELECT t.attrs, sum(geo.overlap(h.shape, t.geom)) AS covered, h.whole, h.metres
    FROM here h JOIN geo.enrich_forest t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY t.attrs, h.whole, h.metres
)
SELECT (SELECT json_build_object('code', attrs->>'code', 'label', attrs->>'label', 'species', attrs->>'species',
        'year', (attrs->>'year')::integer, 'sharePct', geo.share(covered, whole))
    FROM found
    WHERE covered >= 0.005 * whole OR covered * metres >= whole
    ORDER BY covered DESC, attrs->>'code', attrs LIMIT 1)
