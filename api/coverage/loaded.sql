-- Which areas the active loads cover of each layer, with the oldest and the newest edition. Parcels have no
-- rows of that table: theirs are in their file. Reads the table whole: a row a layer and area, some 35 000
-- for each layer that is given by communes.
SELECT c.layer, c.area, coalesce(min(l.vintage), '') AS oldest, coalesce(max(l.vintage), '') AS newest
FROM geo.coverage c JOIN geo.load l ON l.id = c.load_id AND l.active
GROUP BY c.layer, c.area
