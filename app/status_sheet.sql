-- The parcels of one small sheet, for the landing page: those around a parcel of a section with a letter pair, in the commune for
-- which most is loaded, of several the one of the newest vintage. Relies on parcelle_pkey for the first and on parcelle_geom
-- (nearest neighbours) for the others; coverage and parcelle_commune, of some rows a commune at most, are read whole, once a
-- load. At most 90 rows; none when no parcel is loaded.
WITH filled AS MATERIALIZED (
    SELECT area, count(DISTINCT layer) AS layers FROM geo.coverage GROUP BY area
), commune AS (
    SELECT c.code
    FROM geo.parcelle_commune c
    LEFT JOIN filled own ON own.area = c.code
    LEFT JOIN filled wider ON wider.area = left(c.code, CASE WHEN c.code LIKE '97%' THEN 3 ELSE 2 END)
    ORDER BY coalesce(own.layers, 0) + coalesce(wider.layers, 0) DESC, c.vintage DESC NULLS LAST, c.code
    LIMIT 1
), middle AS MATERIALIZED (
    SELECT p.geom
    FROM commune, LATERAL (
        SELECT geom FROM geo.parcelle
        WHERE idu >= commune.code || '000A' AND idu < commune.code || '999' ORDER BY idu OFFSET 60 LIMIT 1) p
)
SELECT p.idu, ST_AsGeoJSON(ST_ExteriorRing(ST_GeometryN(p.geom, 1)), 7)
FROM middle, LATERAL (SELECT idu, geom FROM geo.parcelle ORDER BY parcelle.geom <-> middle.geom LIMIT 90) p
ORDER BY p.idu
