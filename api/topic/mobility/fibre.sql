-- The nearest building of the fibre roll-out within 50 m.
-- Index: fibre_geom_idx, by parts of the subdivided polygon. Some hundred candidates in a dense street.
WITH place AS MATERIALIZED (SELECT @shape::geometry AS shape, cos(radians(ST_Y(ST_Centroid(ST_Envelope(@shape::geometry))))) AS k),
piece AS MATERIALIZED (
    SELECT d.shape, geo.flat(d.shape, p.k) AS flat, p.k, geo.around(d.shape, 50) AS wide FROM place p, ST_Subdivide(p.shape, 128) AS d(shape)
)
SELECT (SELECT json_build_object('status', f.state, 'operator', f.operator, 'buildingId', f.id, 'node', f.node, 'nodeStatus', f.node_state,
        'kind', f.kind, 'completedOn', f.completed, 'distanceM', round(d.m)::int)
    FROM piece p JOIN geo.fibre f ON f.geom && p.wide
        CROSS JOIN LATERAL (SELECT geo.point_metres(f.geom, p.flat, p.k) AS m OFFSET 0) d
    WHERE d.m <= 50
    ORDER BY d.m, f.id, f.part LIMIT 1)
