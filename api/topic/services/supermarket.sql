-- The nearest supermarket: from OpenStreetMap where the inventory of INSEE is not loaded.
-- Indexes: enrich_facility_supermarket, enrich_osm_shop_geom_idx: the nearest in degrees, then the candidates within
-- that distance in metres, a few rows.
WITH here AS MATERIALIZED (
    SELECT @shape::geometry AS shape, @shape::geometry::geography AS place, 'facility' = ANY(@covered::text[]) AS whole
), near AS MATERIALIZED (
    SELECT h.*, least(@radius, ST_Distance(h.place, CASE
        WHEN h.whole THEN (SELECT t.geom FROM geo.enrich_facility t
            WHERE t.attrs->>'type' IN ('B102', 'B105') ORDER BY t.geom <-> h.shape LIMIT 1)
        ELSE (SELECT t.geom FROM geo.enrich_osm_shop t ORDER BY t.geom <-> h.shape LIMIT 1) END::geography)) AS most
    FROM here h
), found AS (
    SELECT t.part, t.id, t.attrs, ST_Distance(t.geom::geography, n.place) AS m, 'BPE' AS source
    FROM near n JOIN geo.enrich_facility t ON n.whole AND t.geom && geo.around(n.shape, n.most)
    WHERE t.attrs->>'type' IN ('B102', 'B105')
    UNION ALL
    SELECT t.part, t.id, t.attrs, ST_Distance(t.geom::geography, n.place), 'OpenStreetMap'
    FROM near n JOIN geo.enrich_osm_shop t ON NOT n.whole AND t.geom && geo.around(n.shape, n.most)
)
SELECT attrs->>'name' AS name, round(m)::int AS distance_m, source
FROM found WHERE m <= @radius ORDER BY m, id, part LIMIT 1
