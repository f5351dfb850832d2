-- Every address that can be found, streets together. A commune is told by the best of what is loaded for it: the Base
-- Adresse Nationale, its own base, OpenStreetMap. Reads all rows once (26 million) and sorts them on disk.
WITH named AS (
    SELECT 1 AS origin, code_insee, old_code, coalesce(nullif(street, ''), lieu_dit) AS name, postcode, numero, rep,
        position_type, place, false AS locality, geom
    FROM geo.adresse
    UNION ALL
    SELECT 2, code_insee, old_code, street, NULL, numero, rep, position_type, place, numero IS NULL, geom
    FROM geo.adresse_locale
    WHERE code_insee NOT IN (SELECT code_insee FROM geo.adresse)
    UNION ALL
    SELECT 3, code_insee, NULL, street, postcode, numero, rep, NULL, place, numero IS NULL, geom
    FROM geo.adresse_bano
    WHERE code_insee NOT IN (SELECT code_insee FROM geo.adresse UNION SELECT code_insee FROM geo.adresse_locale)
    UNION ALL
    SELECT 4, code_insee, old_code, name, postcode, NULL, NULL, NULL, 1, true, geom
    FROM geo.lieu_dit
)
SELECT code_insee, coalesce(old_code, ''), name, coalesce(postcode, ''), coalesce(numero, 0), coalesce(rep, ''), locality,
    ST_Y(geom), ST_X(geom)
FROM named
WHERE name <> ''
ORDER BY code_insee, old_code, name, postcode, locality, numero, rep NULLS FIRST, (position_type = 'entrée') DESC NULLS LAST, place
