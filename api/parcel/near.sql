-- The parcel nearest to a point, longitude $1 and latitude $2, and how many metres away it is; the one that covers the point is 0
-- metres away. Index: parcelle_geom (nearest neighbours). One row, or none within $3 metres.
SELECT idu, metres
FROM (
    SELECT p.idu, ST_Distance(p.geom::geography, ST_SetSRID(ST_MakePoint($1, $2), 4326)::geography) AS metres
    FROM (SELECT idu, geom FROM geo.parcelle ORDER BY parcelle.geom <-> ST_SetSRID(ST_MakePoint($1, $2), 4326) LIMIT 4) p
) nearest
WHERE metres <= $3
ORDER BY metres, idu
LIMIT 1
