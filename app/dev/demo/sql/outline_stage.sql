-- Turns the drawn shapes into outlines with their area, and unites the départements of each région: some 35 000 rows.
-- No index: every row is read once.
CREATE TEMPORARY TABLE ready AS
WITH outline AS (
    SELECT level, code, ST_GeomFromEWKB(shape) AS geom FROM drawn
), region AS (
    SELECT 'region' AS level, d.region_code AS code, ST_Multi(ST_Union(o.geom)) AS geom
    FROM outline o JOIN geo.departement d ON d.code = o.code
    WHERE o.level = 'departement'
    GROUP BY d.region_code
), every AS (
    SELECT level, code, geom FROM outline
    UNION ALL
    SELECT level, code, geom FROM region
)
SELECT level, code, geom, ST_Area(geom::geography) / 1e6 AS area_km2 FROM every;
