-- Gives the parcels of the communes whose sheets were loaded the sheet they lie on, where their own source names none.
-- Uses parcel_block_pkey by ranges of the commune's code and feuille_pkey. Some 2 700 parcels a commune.
UPDATE geo.parcel_block b SET feuilles = s.feuilles
FROM (
    SELECT q.first_idu, (SELECT array_agg(geo.sheet_of(u.idu, ST_SetSRID(ST_GeomFromTWKB(u.shape), 4326)) ORDER BY u.nth)
        FROM unnest(q.idus, q.shapes) WITH ORDINALITY AS u (idu, shape, nth)) AS feuilles
    FROM (SELECT DISTINCT left(id, 5) AS code FROM ready) n
    JOIN geo.parcelle_commune c ON c.code = n.code AND NOT c.names_sheet
    JOIN geo.parcel_block q ON q.first_idu BETWEEN c.code AND c.code || 'ZZZZZZZZZ'
    OFFSET 0 -- else each sheet is looked for twice
) s
WHERE b.first_idu = s.first_idu AND b.feuilles IS DISTINCT FROM s.feuilles
