-- The parcels of the condominiums in the stage, by their ctid: those of the references that exist, in their
-- order. Where its commune is not loaded whole a reference is taken as it is. The register writes Paris and
-- Lyon with the code of the city and the arrondissement as prefix: 75056102AE0032 is 75102000AE0032. Marseille
-- has prefixes of its own, from 801 on: a reference lacks them or the arrondissement, and is taken where one
-- parcel fits. code_insee is the commune or the arrondissement of the address. A commune that was merged since is a
-- prefix of parcels today, 93059000AB0001 is 93066059AB0001, unless there still are parcels under its own code.
-- Indexes: parcel_block_pkey, parcelle_commune_pkey, commune_code. Up to three rows a condominium, and the parcels of Marseille.
WITH reference AS MATERIALIZED (
    SELECT s.ctid AS place, r.nth, r.ref, left(r.ref, 2) AS dep, substr(r.ref, 6, 3) AS prefix,
        s.code_insee AS insee, left(r.ref, 5) IN ('75056', '69123', '13055') AS of_city
    FROM stage s CROSS JOIN unnest(ARRAY[s.reference_1, s.reference_2, s.reference_3])
        WITH ORDINALITY AS r(ref, nth)
    WHERE r.ref ~ '^([0-9]{2}|2[AB])[0-9]{6}[0-9A-Z]{2}[0-9]{4}$'
), city AS (
    SELECT r.*, (SELECT x.code FROM unnest(ARRAY[r.dep || r.prefix, r.insee]) WITH ORDINALITY AS x(code, nth)
        WHERE x.code ~ '^(751(0[1-9]|1[0-9]|20)|6938[1-9]|132(0[1-9]|1[0-6]))$' AND left(x.code, 2) = r.dep
        ORDER BY x.nth LIMIT 1) AS area
    FROM reference r WHERE r.of_city
), moved AS MATERIALIZED (
    SELECT f.code, geo.commune_today(f.code) AS today
    FROM (SELECT DISTINCT left(ref, 5) AS code FROM reference WHERE NOT of_city) f
    WHERE NOT EXISTS (SELECT FROM geo.commune k
        WHERE k.code = f.code AND k.type IN ('commune-actuelle', 'arrondissement-municipal'))
), fitting AS (
    SELECT r.place, r.nth, r.ref AS idu, m.today IS NULL AS current
    FROM reference r LEFT JOIN moved m ON m.code = left(r.ref, 5) WHERE NOT r.of_city
    UNION ALL
    SELECT r.place, r.nth, m.today || CASE r.prefix WHEN '000' THEN right(m.code, 3) ELSE r.prefix END || substr(r.ref, 9), true
    FROM reference r JOIN moved m ON m.code = left(r.ref, 5) WHERE m.today IS NOT NULL
    UNION ALL
    SELECT place, nth, area || CASE dep WHEN '13' THEN prefix ELSE '000' END || substr(ref, 9), true FROM city
    WHERE area IS NOT NULL AND (dep <> '13' OR prefix >= '801')
), marseille AS MATERIALIZED (
    SELECT idu, left(idu, 5) AS area, substr(idu, 6, 3) AS prefix, substr(idu, 9) AS rest
    FROM geo.parcel_block b CROSS JOIN LATERAL unnest(b.idus) AS p (idu) WHERE b.first_idu BETWEEN '13201' AND '13216ZZZZZZZZZ'
), known AS MATERIALIZED (
    SELECT p.idu
    FROM (SELECT DISTINCT left(idu, 5) AS code FROM fitting) f
    JOIN geo.parcel_block b ON b.first_idu BETWEEN f.code AND f.code || 'ZZZZZZZZZ'
    CROSS JOIN LATERAL unnest(b.idus) AS p (idu)
    WHERE p.idu IN (SELECT idu FROM fitting)
), found AS (
    SELECT f.place, f.nth, coalesce(k.idu, CASE WHEN c.code IS NULL AND f.current THEN f.idu END) AS idu
    FROM fitting f LEFT JOIN known k ON k.idu = f.idu
    LEFT JOIN geo.parcelle_commune c ON c.code = left(f.idu, 5) AND c.complete
    UNION ALL
    SELECT r.place, r.nth, min(k.idu) FROM city r JOIN marseille k ON k.rest = substr(r.ref, 9)
    WHERE r.dep = '13' AND CASE WHEN r.prefix < '801' THEN k.area = r.area AND k.prefix BETWEEN '801' AND '999'
        ELSE r.area IS NULL AND k.prefix = r.prefix END
    GROUP BY r.place, r.nth HAVING count(*) = 1
)
SELECT place, array_agg(idu ORDER BY nth) AS parcels
FROM (SELECT place, idu, min(nth) AS nth FROM found WHERE idu IS NOT NULL GROUP BY place, idu) one
GROUP BY place
