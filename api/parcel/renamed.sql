-- The commune of today that a reference's commune was merged into, and the served parcels that bear the same section and
-- number there: their prefix is the end of the former commune's code, or the prefix they had already.
-- No row: the commune is one of today, or there never was such a commune.
-- Index: commune_pkey and commune_former_codes for the commune, parcelle_pkey for the parcels. Expect at most 2 rows.
SELECT k.code, p.idu
FROM geo.commune_today(left($1, 5)) k (code)
LEFT JOIN geo.parcelle p ON p.idu IN (
    k.code || substr($1, 3, 3) || right($1, 6),
    k.code || nullif(substr($1, 6, 3), '000') || right($1, 6))
WHERE k.code <> left($1, 5)
ORDER BY p.idu
