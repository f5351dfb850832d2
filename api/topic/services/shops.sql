-- The nearest supermarket, hypermarket and convenience store within 50 km. Supermarkets come from OpenStreetMap where
-- the inventory of INSEE is not loaded.
-- Indexes: enrich_facility_supermarket, enrich_facility_hypermarket, enrich_facility_convenience,
-- enrich_osm_shop_geom_idx: for each the nearest in degrees, then the candidates within that distance in metres, a few
-- rows.
WITH here AS MATERIALIZED (
    SELECT @shape::geometry AS shape, @shape::geometry::geography AS place, 'facility' = ANY(@covered::text[]) AS facility, 'osm_shop' = ANY(@covered::text[]) AS osm
), near AS MATERIALIZED (
    SELECT h.*,
        least(50000, ST_Distance(h.place, coalesce(
            CASE WHEN h.facility THEN (SELECT t.geom FROM geo.enrich_facility t
                WHERE t.attrs->>'type' IN ('B102', 'B105') ORDER BY t.geom <-> h.shape LIMIT 1) END,
            CASE WHEN h.osm AND NOT h.facility THEN (SELECT t.geom FROM geo.enrich_osm_shop t
                ORDER BY t.geom <-> h.shape LIMIT 1) END)::geography)) AS most_supermarket,
        least(50000, ST_Distance(h.place, (CASE WHEN h.facility THEN (SELECT t.geom FROM geo.enrich_facility t
            WHERE t.attrs->>'type' IN ('B101', 'B104') ORDER BY t.geom <-> h.shape LIMIT 1) END)::geography)) AS most_hypermarket,
        least(50000, ST_Distance(h.place, (CASE WHEN h.facility THEN (SELECT t.geom FROM geo.enrich_facility t
            WHERE t.attrs->>'type' IN ('B201', 'B202') ORDER BY t.geom <-> h.shape LIMIT 1) END)::geography)) AS most_convenience
    FROM here h
), supermarket AS (
    SELECT t.part, t.id, t.attrs, ST_Distance(t.geom::geography, n.place) AS m, 'BPE' AS source
    FROM near n JOIN geo.enrich_facility t ON n.facility AND t.geom && geo.around(n.shape, n.most_supermarket)
    WHERE t.attrs->>'type' IN ('B102', 'B105')
    UNION ALL
    SELECT t.part, t.id, t.attrs, ST_Distance(t.geom::geography, n.place), 'OpenStreetMap'
    FROM near n JOIN geo.enrich_osm_shop t ON n.osm AND NOT n.facility AND t.geom && geo.around(n.shape, n.most_supermarket)
), hypermarket AS (
    SELECT t.part, t.id, t.attrs, ST_Distance(t.geom::geography, n.place) AS m, 'BPE' AS source
    FROM near n JOIN geo.enrich_facility t ON n.facility AND t.geom && geo.around(n.shape, n.most_hypermarket)
    WHERE t.attrs->>'type' IN ('B101', 'B104')
), convenience AS (
    SELECT t.part, t.id, t.attrs, ST_Distance(t.geom::geography, n.place) AS m, 'BPE' AS source
    FROM near n JOIN geo.enrich_facility t ON n.facility AND t.geom && geo.around(n.shape, n.most_convenience)
    WHERE t.attrs->>'type' IN ('B201', 'B202')
)
SELECT (
    SELECT json_build_object('name', attrs->>'name', 'distanceM', round(m)::int, 'source', source)
    FROM supermarket WHERE m <= 50000 ORDER BY m, id, part LIMIT 1
), (
    SELECT json_build_object('name', attrs->>'name', 'distanceM', round(m)::int, 'source', source)
    FROM hypermarket WHERE m <= 50000 ORDER BY m, id, part LIMIT 1
), (
    SELECT json_build_object('name', attrs->>'name', 'distanceM', round(m)::int, 'source', source)
    FROM convenience WHERE m <= 50000 ORDER BY m, id, part LIMIT 1
)
