-- All candidates for the nearest place of its kind to a commune: hospitals, schools, stations and supermarkets, from
-- the layers of the report, each with the layer whose coverage it depends on.
-- Whole tables are read: up to 100 000 rows (60 000 schools), once for each rendering.
SELECT DISTINCT ON (layer, part, id) layer, part, id, name, kind, ST_Y(p), ST_X(p)
FROM (
    SELECT 'hospital' AS layer, part, id, piece, attrs->>'name' AS name, NULL AS kind, geom
    FROM geo.enrich_health WHERE attrs->>'category' IN ('101', '106', '292', '355')
    UNION ALL
    SELECT 'hospital_extract', part, id, piece, attrs->>'name', NULL, geom FROM geo.enrich_hospital_extract
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
