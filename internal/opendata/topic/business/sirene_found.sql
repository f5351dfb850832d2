-- The establishments ("e") with their names and positions, from the other two files of Sirene.
-- The file of positions gives the position, unless it only knows the commune (quality 33); where that file is not loaded, the
-- stock gives it. An establishment with a private name and address has no position, even where an older file has one: a report
-- that finds it near a parcel would reveal its address. Reads all of sirene_place and sirene_company, some 30 million rows.
SELECT e.*, CASE WHEN e.public THEN c.name END AS name,
    CASE WHEN NOT e.public THEN NULL WHEN p.id IS NULL THEN e.lambert WHEN p.quality IS DISTINCT FROM 33 THEN p.geom END AS geom
FROM e
LEFT JOIN (SELECT DISTINCT ON (id) id, quality, geom FROM geo.sirene_place ORDER BY id, part) p ON p.id = e.id
LEFT JOIN (SELECT DISTINCT ON (id) id, name FROM geo.sirene_company ORDER BY id, part) c ON c.id = left(e.id, 9)
