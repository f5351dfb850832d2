-- Chooses the communes with parcels, 2 880 each, by their dice: as many as are asked for. The parcels of Paris, Lyon and Marseille bear the
-- codes of arrondissements, which are not made here.
UPDATE geo.synthetic_place p SET village = v.nth, parcels = least(2880, $1::integer - 2880 * (v.nth - 1))
FROM (SELECT code, row_number() OVER (ORDER BY dice)::integer AS nth FROM geo.synthetic_place
    WHERE code NOT IN ('13055', '69123', '75056')) v
WHERE v.code = p.code AND 2880 * (v.nth - 1) < $1
