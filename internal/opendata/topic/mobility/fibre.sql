-- The nearest building of the fibre roll-out.
-- Index: fibre_geom_idx, by parts of the subdivided polygon. Some hundred candidates in a dense street.
WITH place AS MATERIALIZED (SELECT @shape::geometry AS shape, cos(radians(ST_Y(ST_Centroid(ST_Envelope(@shape::geometry))))) AS k),
piece AS MATERIALIZED (
    SELECT d.shape, geo.flat(d.shape, p.k) AS flat, p.k, geo.around(d.shape, @radius) AS wide FROM place p, ST_Subdivide(p.shape, 128) AS d(shape)
)
SELECT f.state AS status, f.operator, f.id AS building_id, f.node, f.node_state AS node_status, f.kind, f.completed::text AS completed_on,
    round(d.m)::int AS distance_m
FROM piece p JOIN geo.fibre f ON f.geom && p.wide
    CROSS JOIN LATERAL (SELECT geo.point_metres(f.geom, p.flat, p.k) AS m OFFSET 0) d
WHERE d.m <= @radius
ORDER BY d.m, f.id, f.part LIMIT 1
