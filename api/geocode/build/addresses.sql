-- Every address that can be found, street by street. A commune has the addresses of the best of what is
-- loaded for it: the Base Adresse Nationale, its own base, OpenStreetMap. An address that names a locality
-- next to its street is in both. Reads all rows once (26 million) and sorts them on disk.
WITH national AS (
    SELECT DISTINCT code_insee FROM geo.adresse
), known AS (
    SELECT code_insee FROM national UNION SELECT code_insee FROM geo.adresse_locale
), named AS (
    SELECT code_insee, old_code, coalesce(nullif(street, ''), lieu_dit) AS name, postcode, numero, rep, position_type, place,
        false AS locality, geom
    FROM geo.adresse
    UNION ALL
    SELECT code_insee, old_code, street, NULL, numero, rep, position_type, place, numero IS NULL, geom
    FROM geo.adresse_locale l
    WHERE NOT EXISTS (SELECT FROM national n WHERE n.code_insee = l.code_insee)
    UNION ALL
    SELECT code_insee, NULL, street, postcode, numero, rep, NULL, place, numero IS NULL, geom
    FROM geo.adresse_bano b
    WHERE NOT EXISTS (SELECT FROM known k WHERE k.code_insee = b.code_insee)
    UNION ALL
    SELECT code_insee, old_code, lieu_dit, postcode, numero, rep, position_type, place, true, geom
    FROM geo.adresse WHERE street <> '' AND lieu_dit <> street AND lieu_dit <> ''
    UNION ALL
    SELECT code_insee, old_code, lieu_dit, NULL, numero, rep, position_type, place, true, geom
    FROM geo.adresse_locale l
    WHERE lieu_dit <> street AND lieu_dit <> '' AND NOT EXISTS (SELECT FROM national n WHERE n.code_insee = l.code_insee)
    UNION ALL
    SELECT code_insee, old_code, name, postcode, NULL, NULL, NULL, 1, true, geom
    FROM geo.lieu_dit
)
SELECT code_insee, coalesce(old_code, ''), name, coalesce(postcode, ''), coalesce(numero, 0), coalesce(rep, ''), locality,
    ST_Y(geom), ST_X(geom)
FROM named
WHERE name <> ''
ORDER BY code_insee, old_code, name, postcode, locality, numero, rep NULLS FIRST, (position_type = 'entrée') DESC NULLS LAST, place
