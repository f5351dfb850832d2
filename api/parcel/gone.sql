-- When a parcel that is served no more was last seen, and the served parcels that took its place: those that overlap at
-- least a twentieth of it, largest overlap first. No row: there never was such a parcel.
-- Index: parcelle_passee_pkey for the parcel, parcel_block_box for its successors. Expect 1 to 5 rows, of some 10 candidates in
-- four blocks.
WITH gone AS MATERIALIZED (
    SELECT vintage, geom, ST_Area(geom) AS area
    FROM geo.parcelle_passee WHERE idu = $1
), successor AS (
    SELECT p.idu, ST_Area(ST_Intersection(p.geom, g.geom)) AS overlap
    FROM gone g CROSS JOIN LATERAL geo.parcels_near(g.geom) p WHERE ST_Intersects(p.geom, g.geom)
)
SELECT g.vintage, s.idu
FROM gone g LEFT JOIN successor s ON s.overlap >= 0.05 * g.area
ORDER BY s.overlap DESC NULLS LAST, s.idu
LIMIT 5;
