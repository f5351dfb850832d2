-- When a parcel that is served no more was last seen, and all served parcels that took its place, largest
-- overlap first: the overlap is at least a twentieth of one of the two, so that a small part of a large parcel
-- counts too. Where several lie on each other there, the one with the highest reference counts, which the
-- cadastre gave last: the other was drawn over the parcel before. No row: there never was such a parcel.
-- $2 and $3 are the references and outlines of served parcels around it that the file has: a compact database
-- lacks these.
-- Index: parcelle_passee_pkey for the parcel, parcel_block_box for its successors. Mostly 1 to 5 rows, of some
-- 10 candidates in four blocks.
WITH gone AS MATERIALIZED (
    SELECT vintage, geom, ST_Area(geom) AS area
    FROM geo.parcelle_passee WHERE idu = $1
), candidate AS (
    SELECT p.idu, p.geom FROM gone g CROSS JOIN LATERAL geo.parcels_near(g.geom) p
    UNION ALL
    SELECT f.idu, ST_GeomFromEWKB(f.outline) FROM unnest($2::text[], $3::bytea[]) AS f (idu, outline)
), part AS MATERIALIZED (
    SELECT c.idu, max(ST_Area(c.geom)) AS area, ST_Union(ST_Intersection(c.geom, g.geom)) AS geom
    FROM gone g JOIN candidate c ON ST_Intersects(c.geom, g.geom) GROUP BY c.idu
), successor AS (
    SELECT p.idu, p.area, ST_Area(coalesce(ST_Difference(p.geom, (SELECT ST_Union(n.geom) FROM part n WHERE n.idu > p.idu)),
        p.geom)) AS overlap
    FROM part p
)
SELECT g.vintage, s.idu
FROM gone g LEFT JOIN successor s ON s.overlap >= 0.05 * least(g.area, s.area)
ORDER BY s.overlap DESC NULLS LAST, s.idu;
