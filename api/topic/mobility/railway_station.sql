-- The nearest passenger station within 50 km and the nearest one with high-speed trains within 200 km: from the list of
-- stations, or from the older one where that is not loaded.
-- Indexes: enrich_railway_station_geom_idx, enrich_station_list_geom_idx (3 000 rows each: the search for a high-speed
-- station reads some 100), enrich_high_speed_station_id_idx.
WITH here AS MATERIALIZED (
    SELECT @shape::geometry AS shape, @shape::geometry::geography AS place, 'railway_station' = ANY(@covered::text[]) AS current,
        'station_list' = ANY(@covered::text[]) AS older, 'high_speed_station' = ANY(@covered::text[]) AS fast
), near AS MATERIALIZED (
    SELECT h.*, least(50000, ST_Distance(h.place, coalesce(
            CASE WHEN h.current THEN (SELECT t.geom FROM geo.enrich_railway_station t ORDER BY t.geom <-> h.shape LIMIT 1) END,
            CASE WHEN h.older AND NOT h.current THEN (SELECT t.geom FROM geo.enrich_station_list t ORDER BY t.geom <-> h.shape LIMIT 1) END)::geography)) AS most,
        least(200000, ST_Distance(h.place, coalesce(
            CASE WHEN h.fast AND h.current THEN (SELECT t.geom FROM geo.enrich_railway_station t
                WHERE EXISTS (SELECT FROM jsonb_array_elements_text(t.attrs->'codes') c JOIN geo.enrich_high_speed_station f ON f.id = c)
                ORDER BY t.geom <-> h.shape LIMIT 1) END,
            CASE WHEN h.fast AND h.older AND NOT h.current THEN (SELECT t.geom FROM geo.enrich_station_list t
                WHERE EXISTS (SELECT FROM jsonb_array_elements_text(t.attrs->'codes') c JOIN geo.enrich_high_speed_station f ON f.id = c)
                ORDER BY t.geom <-> h.shape LIMIT 1) END)::geography)) AS most_fast
    FROM here h
), found AS (
    SELECT t.part, t.id, t.attrs, ST_Distance(t.geom::geography, n.place) AS m
    FROM near n JOIN geo.enrich_railway_station t ON n.current AND t.geom && geo.around(n.shape, n.most)
    UNION ALL
    SELECT t.part, t.id, t.attrs, ST_Distance(t.geom::geography, n.place)
    FROM near n JOIN geo.enrich_station_list t ON n.older AND NOT n.current AND t.geom && geo.around(n.shape, n.most)
), fast AS (
    SELECT t.part, t.id, t.attrs, ST_Distance(t.geom::geography, n.place) AS m
    FROM near n JOIN geo.enrich_railway_station t ON n.fast AND n.current AND t.geom && geo.around(n.shape, n.most_fast)
    WHERE EXISTS (SELECT FROM jsonb_array_elements_text(t.attrs->'codes') c JOIN geo.enrich_high_speed_station f ON f.id = c)
    UNION ALL
    SELECT t.part, t.id, t.attrs, ST_Distance(t.geom::geography, n.place)
    FROM near n JOIN geo.enrich_station_list t ON n.fast AND n.older AND NOT n.current AND t.geom && geo.around(n.shape, n.most_fast)
    WHERE EXISTS (SELECT FROM jsonb_array_elements_text(t.attrs->'codes') c JOIN geo.enrich_high_speed_station f ON f.id = c)
)
SELECT (
    SELECT json_build_object('name', attrs->>'name', 'uic', attrs->>'uic', 'distanceM', round(m)::int)
    FROM found WHERE m <= 50000 ORDER BY m, id, part LIMIT 1
), (
    SELECT json_build_object('name', attrs->>'name', 'uic', attrs->>'uic', 'distanceM', round(m)::int)
    FROM fast WHERE m <= 200000 ORDER BY m, id, part LIMIT 1)
