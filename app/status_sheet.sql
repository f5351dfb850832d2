-- The parcels of one small sheet, for the landing page: those around a parcel of a section with a letter pair, in
-- the commune loaded with the newest vintage. Relies on parcelle_pkey for the first and on parcelle_geom (nearest
-- neighbours) for the others. At most 90 rows; none when no parcel is loaded.
WITH commune AS (
    SELECT code FROM geo.parcelle_commune ORDER BY vintage DESC NULLS LAST, code LIMIT 1
), middle AS MATERIALIZED (
    SELECT p.geom
    FROM commune, LATERAL (
        SELECT geom FROM geo.parcelle
        WHERE idu >= commune.code || '000A' AND idu < commune.code || '999' ORDER BY idu OFFSET 60 LIMIT 1) p
)
SELECT p.idu, ST_AsGeoJSON(ST_ExteriorRing(ST_GeometryN(p.geom, 1)), 7)
FROM middle, LATERAL (SELECT idu, geom FROM geo.parcelle ORDER BY parcelle.geom <-> middle.geom LIMIT 90) p
ORDER BY p.idu
