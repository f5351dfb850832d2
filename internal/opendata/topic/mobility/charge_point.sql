-- The nearest charging station.
-- Index: enrich_charge_point_geom_idx: the nearest in degrees, then the candidates within that distance in metres, a few
-- rows.
WITH here AS MATERIALIZED (
    SELECT @shape::geometry AS shape, @shape::geometry::geography AS place
), near AS MATERIALIZED (
    SELECT h.shape, h.place, least(@radius, ST_Distance(h.place,
        (SELECT t.geom FROM geo.enrich_charge_point t ORDER BY t.geom <-> h.shape LIMIT 1)::geography)) AS most
    FROM here h
), found AS (
    SELECT t.part, t.id, t.piece, t.attrs, ST_Distance(t.geom::geography, n.place) AS m
    FROM near n JOIN geo.enrich_charge_point t ON t.geom && geo.around(n.shape, n.most)
)
SELECT id AS station_id, attrs->>'name' AS name, attrs->>'operator' AS operator, (attrs->>'maxPowerKw')::float8 AS max_power_kw,
    (attrs->>'points')::int AS points, (attrs->>'free')::boolean AS free, attrs->>'updated' AS updated, round(m)::int AS distance_m
FROM found WHERE m <= @radius
ORDER BY m, id, part, piece LIMIT 1
