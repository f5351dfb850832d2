-- All candidates for the nearest place of its kind to a commune: hospitals, schools, stations and supermarkets, from
-- the layers of the report, each with the layer whose coverage it depends on. Hospitals are those of the report: where
-- the inventory of facilities is loaded, those with an emergency department (D106) within 500 m.
-- Whole tables are read: up to 100 000 rows (60 000 schools), once for each rendering.
WITH emergency AS MATERIALIZED (SELECT geom FROM geo.enrich_facility WHERE attrs->>'type' = 'D106'),
hospital AS (
    SELECT 'hospital' AS layer, part, id, piece, attrs, geom FROM geo.enrich_health WHERE attrs->>'category' IN ('101', '355')
    UNION ALL
    SELECT 'hospital_extract', part, id, piece, attrs, geom FROM geo.enrich_hospital_extract
)
SELECT DISTINCT ON (layer, part, id) layer, part, id, name, kind, ST_Y(p), ST_X(p)
FROM (
    SELECT layer, part, id, piece, attrs->>'name' AS name, NULL AS kind, geom FROM hospital h
    WHERE NOT EXISTS (SELECT FROM geo.enrich_facility) OR EXISTS (SELECT FROM emergency e WHERE e.geom && geo.around(h.geom, 500))
    UNION ALL
    SELECT 'school', part, id, piece, attrs->>'name', attrs->>'level', geom FROM geo.enrich_school
    UNION ALL
    SELECT 'railway_station', part, id, piece, attrs->>'name', CASE WHEN EXISTS (SELECT FROM jsonb_array_elements_text(attrs->'codes') c
        JOIN geo.enrich_high_speed_station f ON f.id = c) THEN 'fast' END, geom FROM geo.enrich_railway_station
    UNION ALL
    SELECT 'facility', part, id, piece, attrs->>'name', NULL, geom
    FROM geo.enrich_facility WHERE attrs->>'type' IN ('B102', 'B105')
) t CROSS JOIN LATERAL ST_PointOnSurface(t.geom) p
ORDER BY layer, part, id, piece
