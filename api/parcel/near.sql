-- The parcel nearest to a point, longitude $1 and latitude $2, and how many metres away it is; the one that covers the point is 0
-- metres away. One row, or none within $3 metres.
-- Index: parcelle_geom: the nearest in degrees, then the candidates within its distance in metres, a few rows.
WITH here AS MATERIALIZED (
    SELECT ST_SetSRID(ST_MakePoint($1, $2), 4326) AS shape, ST_SetSRID(ST_MakePoint($1, $2), 4326)::geography AS place
), near AS MATERIALIZED (
    SELECT h.shape, h.place, least($3, ST_Distance(h.place, (SELECT p.geom FROM geo.parcelle p
        ORDER BY p.geom <-> h.shape LIMIT 1)::geography)) AS most
    FROM here h
)
SELECT p.idu, d.metres
FROM near n JOIN geo.parcelle p ON p.geom && geo.around(n.shape, n.most)
CROSS JOIN LATERAL (SELECT ST_Distance(p.geom::geography, n.place) AS metres) d
WHERE d.metres <= $3
ORDER BY d.metres, p.idu LIMIT 1
