-- Gives the parcels of the communes whose sheets were loaded the sheet they lie on, where their own source names none.
-- Uses parcelle_pkey by ranges of the commune's code and feuille_pkey. Some 2 700 parcels a commune.
UPDATE geo.parcelle p SET feuille = s.feuille
FROM (
    SELECT q.idu, geo.sheet_of(q.idu, q.geom) AS feuille
    FROM (SELECT DISTINCT left(id, 5) AS code FROM ready) n
    JOIN geo.parcelle_commune c ON c.code = n.code AND NOT c.names_sheet
    JOIN geo.parcelle q ON q.idu BETWEEN c.code AND c.code || 'ZZZZZZZZZ'
) s
WHERE p.idu = s.idu AND p.feuille IS DISTINCT FROM s.feuille
