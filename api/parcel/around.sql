-- The parcels around a parcel, itself among them, with the outer ring of each, to be drawn: the $2 nearest, by reference.
-- Indexes: parcelle_pkey for the one, parcelle_geom (nearest neighbours) for the others. No row: it is not served.
WITH middle AS MATERIALIZED (SELECT geom FROM geo.parcelle WHERE idu = $1)
SELECT p.idu, ST_AsGeoJSON(ST_ExteriorRing(ST_GeometryN(p.geom, 1)), 7)
FROM middle, LATERAL (SELECT idu, geom FROM geo.parcelle ORDER BY parcelle.geom <-> middle.geom LIMIT $2) p
ORDER BY p.idu
