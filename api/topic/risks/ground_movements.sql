-- The recorded ground movements within 500 m of a parcel, the nearest first; some dozens in the densest places.
-- Index: enrich_ground_movement_geom_idx. At most 20 items. One row.
WITH here AS MATERIALIZED (SELECT @shape::geometry AS shape, @shape::geometry::geography AS place), near AS (
    SELECT DISTINCT ON (t.id) t.id, t.attrs, d.m
    FROM here h JOIN geo.enrich_ground_movement t ON t.geom && geo.around(h.shape, 500)
    CROSS JOIN LATERAL (SELECT ST_Distance(t.geom::geography, h.place) AS m OFFSET 0) d
    WHERE d.m <= 500
    ORDER BY t.id, d.m, t.part
)
SELECT coalesce(json_agg(json_build_object('id', id, 'type', attrs->>'type', 'date', attrs->>'date',
    'datePrecision', attrs->>'datePrecision', 'positionPrecision', attrs->>'positionPrecision',
    'reliability', attrs->>'reliability', 'distanceM', round(m)::integer) ORDER BY m, id), '[]')
FROM (SELECT * FROM near ORDER BY m, id LIMIT 20) n
