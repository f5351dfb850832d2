-- The priority district that the parcel lies in, the one that covers most of it.
-- Index: enrich_qpv_geom_idx. One or two rows.
WITH here AS MATERIALIZED (
    SELECT p.shape, w.whole, w.metres
    -- OFFSET 0: the parcel is measured once, not for each part of it.
    FROM (SELECT ST_Area(@shape::geometry) AS whole, ST_Area(@shape::geometry::geography) AS metres OFFSET 0) w,
        ST_Subdivide(@shape::geometry, 128) p(shape)
), found AS (
    SELECT t.id, t.attrs, sum(geo.overlap(h.shape, t.geom)) AS covered, h.whole, h.metres
    FROM here h JOIN geo.enrich_qpv t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY t.part, t.id, t.attrs, h.whole, h.metres
)
SELECT (SELECT json_build_object('code', id, 'name', attrs->>'name', 'sharePct', geo.share(covered, whole))
    FROM found
    WHERE covered >= 0.005 * whole OR covered * metres >= whole
    ORDER BY covered DESC, id LIMIT 1)
