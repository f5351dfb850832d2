-- Every address that can be found, street by street. A commune has the addresses of the best of what is loaded for it: the Base
-- Adresse Nationale, its own base, the Base Adresse Nationale of before 2020, OpenStreetMap. Reads all rows once (26
-- million) and sorts them on disk.
WITH of_today AS (
    SELECT DISTINCT code_insee FROM geo.adresse WHERE part NOT LIKE 'ban-2015/%'
), of_communes AS (
    SELECT code_insee FROM of_today UNION SELECT code_insee FROM geo.adresse_locale
), known AS (
    SELECT code_insee FROM of_communes UNION SELECT code_insee FROM geo.adresse WHERE part LIKE 'ban-2015/%'
), named AS (
    SELECT code_insee, old_code, coalesce(nullif(street, ''), lieu_dit) AS name, postcode, numero, rep, position_type, place,
        false AS locality, geom
    FROM geo.adresse a
    WHERE part NOT LIKE 'ban-2015/%' OR NOT EXISTS (SELECT FROM of_communes o WHERE o.code_insee = a.code_insee)
    UNION ALL
    SELECT code_insee, old_code, street, NULL, numero, rep, position_type, place, numero IS NULL, geom
    FROM geo.adresse_locale l
    WHERE NOT EXISTS (SELECT FROM of_today o WHERE o.code_insee = l.code_insee)
    UNION ALL
    SELECT code_insee, NULL, street, postcode, numero, rep, NULL, place, numero IS NULL, geom
    FROM geo.adresse_bano b
    WHERE NOT EXISTS (SELECT FROM known k WHERE k.code_insee = b.code_insee)
    UNION ALL
    SELECT code_insee, old_code, name, postcode, NULL, NULL, NULL, 1, true, geom
    FROM geo.lieu_dit
)
SELECT code_insee, coalesce(old_code, ''), name, coalesce(postcode, ''), coalesce(numero, 0), coalesce(rep, ''), locality,
    ST_Y(geom), ST_X(geom)
FROM named
WHERE name <> ''
ORDER BY code_insee, old_code, name, postcode, locality, numero, rep NULLS FIRST, (position_type = 'entrée') DESC NULLS LAST, place
