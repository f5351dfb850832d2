-- The nearest charging station: from the consolidated file, or from the files of single networks where that is not
-- loaded.
-- Indexes: enrich_charge_point_geom_idx, enrich_charge_network_geom_idx: the nearest in degrees, then the candidates
-- within that distance in metres, a few rows.
WITH here AS MATERIALIZED (
    SELECT @shape::geometry AS shape, @shape::geometry::geography AS place, 'charge_point' = ANY(@covered::text[]) AS whole, 'charge_network' = ANY(@covered::text[]) AS networks
), near AS MATERIALIZED (
    SELECT h.shape, h.place, h.whole, h.networks, least(@radius, ST_Distance(h.place, coalesce(
        CASE WHEN h.whole THEN (SELECT t.geom FROM geo.enrich_charge_point t ORDER BY t.geom <-> h.shape LIMIT 1) END,
        CASE WHEN h.networks AND NOT h.whole THEN (SELECT t.geom FROM geo.enrich_charge_network t ORDER BY t.geom <-> h.shape LIMIT 1) END)::geography)) AS most
    FROM here h
), found AS (
    SELECT t.part, t.id, t.piece, t.attrs, ST_Distance(t.geom::geography, n.place) AS m
    FROM near n JOIN geo.enrich_charge_point t ON n.whole AND t.geom && geo.around(n.shape, n.most)
    UNION ALL
    SELECT t.part, t.id, t.piece, t.attrs, ST_Distance(t.geom::geography, n.place)
    FROM near n JOIN geo.enrich_charge_network t ON n.networks AND NOT n.whole AND t.geom && geo.around(n.shape, n.most)
)
SELECT id AS station_id, attrs->>'name' AS name, attrs->>'operator' AS operator, (attrs->>'maxPowerKw')::float8 AS max_power_kw,
    (attrs->>'points')::int AS points, (attrs->>'free')::boolean AS free, attrs->>'updated' AS updated, round(m)::int AS distance_m
FROM found WHERE m <= @radius
ORDER BY m, id, part, piece LIMIT 1
