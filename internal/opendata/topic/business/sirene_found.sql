-- The establishments ("e") with their names and positions, from the other two files of Sirene.
-- The position is that of the file of positions, when it tells the address and not just the
-- commune (quality 33); without that file, that of the stock. An establishment with a private
-- name and address has neither here, whatever an older file tells: to be found near a parcel is
-- to be found at an address. Reads all of sirene_place and sirene_company, some 30 million rows.
SELECT e.*, CASE WHEN e.public THEN c.name END AS name,
    CASE WHEN NOT e.public THEN NULL WHEN p.id IS NULL THEN e.lambert WHEN p.quality IS DISTINCT FROM 33 THEN p.geom END AS geom
FROM e
LEFT JOIN (SELECT DISTINCT ON (id) id, quality, geom FROM geo.sirene_place ORDER BY id, part) p ON p.id = e.id
LEFT JOIN (SELECT DISTINCT ON (id) id, name FROM geo.sirene_company ORDER BY id, part) c ON c.id = left(e.id, 9)
