-- The names with accents that streets have in what is loaded in addition to the Base Adresse Nationale, which
-- comes without them here and there. The base of the commune comes first, then OpenStreetMap. Reads those
-- rows once; none where only the Base Adresse Nationale is loaded.
WITH named AS (
    SELECT code_insee, coalesce(old_code, '') AS old_code, street AS name, 1 AS rank FROM geo.adresse_locale
    UNION
    SELECT code_insee, '', street, 2 FROM geo.adresse_bano
)
SELECT code_insee, old_code, name FROM named WHERE name ~ '[^ -~]' ORDER BY code_insee, rank, old_code, name
