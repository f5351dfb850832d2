-- The nearest station with high-speed trains.
-- Indexes: enrich_railway_station_geom_idx (some 100 of 3 000 rows), enrich_high_speed_station_id_idx.
WITH here AS MATERIALIZED (
    SELECT @shape::geometry AS shape, @shape::geometry::geography AS place, 'railway_station' = ANY(@covered::text[]) AS listed
), near AS MATERIALIZED (
    SELECT h.*, least(@radius, ST_Distance(h.place, (SELECT t.geom FROM geo.enrich_railway_station t
        WHERE EXISTS (SELECT FROM jsonb_array_elements_text(t.attrs->'codes') c JOIN geo.enrich_high_speed_station f ON f.id = c)
        ORDER BY t.geom <-> h.shape LIMIT 1)::geography)) AS most
    FROM here h WHERE h.listed
), found AS (
    SELECT t.part, t.id, t.attrs, ST_Distance(t.geom::geography, n.place) AS m
    FROM near n JOIN geo.enrich_railway_station t ON t.geom && geo.around(n.shape, n.most)
    WHERE EXISTS (SELECT FROM jsonb_array_elements_text(t.attrs->'codes') c JOIN geo.enrich_high_speed_station f ON f.id = c)
)
SELECT attrs->>'name' AS name, attrs->>'uic' AS uic, round(m)::int AS distance_m
FROM found WHERE m <= @radius ORDER BY m, id, part LIMIT 1
