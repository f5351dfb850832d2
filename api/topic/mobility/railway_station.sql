-- The nearest passenger station: from the list of stations, or from the older one where that is not loaded.
-- Indexes: enrich_railway_station_geom_idx, enrich_station_list_geom_idx: the nearest in degrees, then the candidates
-- within that distance in metres, a few of 3 000 rows.
WITH here AS MATERIALIZED (
    SELECT @shape::geometry AS shape, @shape::geometry::geography AS place, 'railway_station' = ANY(@covered::text[]) AS current,
        'station_list' = ANY(@covered::text[]) AS older
), near AS MATERIALIZED (
    SELECT h.*, least(@radius, ST_Distance(h.place, coalesce(
        CASE WHEN h.current THEN (SELECT t.geom FROM geo.enrich_railway_station t ORDER BY t.geom <-> h.shape LIMIT 1) END,
        CASE WHEN h.older AND NOT h.current THEN (SELECT t.geom FROM geo.enrich_station_list t ORDER BY t.geom <-> h.shape LIMIT 1) END)::geography)) AS most
    FROM here h
), found AS (
    SELECT t.part, t.id, t.attrs, ST_Distance(t.geom::geography, n.place) AS m
    FROM near n JOIN geo.enrich_railway_station t ON n.current AND t.geom && geo.around(n.shape, n.most)
    UNION ALL
    SELECT t.part, t.id, t.attrs, ST_Distance(t.geom::geography, n.place)
    FROM near n JOIN geo.enrich_station_list t ON n.older AND NOT n.current AND t.geom && geo.around(n.shape, n.most)
)
SELECT attrs->>'name' AS name, attrs->>'uic' AS uic, round(m)::int AS distance_m
FROM found WHERE m <= @radius ORDER BY m, id, part LIMIT 1
