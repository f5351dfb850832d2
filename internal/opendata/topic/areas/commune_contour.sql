-- The outlines of the communes. The stage holds those of départements and régions too, where the file has them.
-- Reads "stage" once. Expect 34 875 rows.
SELECT code, edition, ST_Area(geom::geography) / 1e6 AS area_km2, geom FROM stage WHERE level = 'communes'
