-- The recorded ground movements near a parcel, the nearest first; some dozens in the densest places.
-- Index: enrich_ground_movement_geom_idx.
WITH here AS MATERIALIZED (SELECT @shape::geometry AS shape, @shape::geometry::geography AS place), near AS (
    SELECT DISTINCT ON (t.id) t.id, t.attrs, d.m
    FROM here h JOIN geo.enrich_ground_movement t ON t.geom && geo.around(h.shape, @radius)
    CROSS JOIN LATERAL (SELECT ST_Distance(t.geom::geography, h.place) AS m OFFSET 0) d
    WHERE d.m <= @radius
    ORDER BY t.id, d.m, t.part
)
SELECT id, attrs->>'type' AS type, attrs->>'date' AS date, attrs->>'datePrecision' AS date_precision,
    attrs->>'positionPrecision' AS position_precision, attrs->>'reliability' AS reliability, round(m)::integer AS distance_m, count(*) OVER () AS total
FROM near ORDER BY m, id LIMIT @limit
