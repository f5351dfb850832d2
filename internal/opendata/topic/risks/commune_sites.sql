-- Classified installations and former industrial sites by the commune that their file names, else by the one
-- that they lie in; town is the arrondissement of Paris, Lyon or Marseille. Those without a position and
-- without a commune have no place. Of installations the most regulated come first, of sites those with a
-- name. Whole tables are read, once for each rendering: up to 900 000 rows, each in one commune by
-- commune_contour_geom where its file names none. arrondissement_contour has 45 rows.
WITH site AS (
    SELECT 'icpe' AS layer, part, id, attrs, geom FROM geo.enrich_icpe
    UNION ALL SELECT 'polluted_site', part, id, attrs, geom FROM geo.enrich_polluted_site
    UNION ALL SELECT 'icpe', part, id, attrs, NULL FROM geo.enrich_icpe_unplaced
    UNION ALL SELECT 'polluted_site', part, id, attrs, NULL FROM geo.enrich_polluted_site_unplaced
), once AS MATERIALIZED (
    SELECT DISTINCT ON (layer, id) * FROM site ORDER BY layer, id, geom IS NULL, part
), today AS MATERIALIZED (
    SELECT c.code, geo.commune_today(c.code) AS place FROM (SELECT DISTINCT attrs->>'commune' AS code FROM once) c WHERE c.code IS NOT NULL
)
SELECT coalesce(k.commune_code, t.place, c.code, ''), coalesce(k.code, a.code, ''), s.layer, s.part, s.geom IS NOT NULL, s.id, s.attrs->>'register',
    s.attrs->>'name', s.attrs->>'regime', s.attrs->>'seveso', s.attrs->>'activity', s.attrs->>'activityCodes', s.attrs->>'status',
    (s.attrs->>'active')::boolean, s.attrs->>'address'
FROM once s LEFT JOIN today t ON t.code = s.attrs->>'commune'
LEFT JOIN geo.commune k ON k.code = t.place AND k.type = 'arrondissement-municipal'
LEFT JOIN geo.commune_contour c ON t.place IS NULL AND ST_Intersects(c.geom, s.geom)
LEFT JOIN geo.arrondissement_contour a ON k.code IS NULL AND ST_Intersects(a.geom, s.geom)
ORDER BY s.attrs->>'seveso' LIKE 'Seveso seuil%' DESC NULLS LAST, array_position(ARRAY['Autorisation', 'Enregistrement'], s.attrs->>'regime'),
    s.attrs->>'name', s.id, c.code, a.code
