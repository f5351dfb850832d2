-- The parcels that the permits of a load name, each with the number of parcels that fit today. A commune that was merged
-- since may still have parcels under its own code. In some years of some communes the numbers are cut to two figures:
-- where all of a year are below 100 and the commune has greater ones, none of them is used.
-- Reads the parcels of the communes in the load, by parcelle_pkey.
WITH reference AS MATERIALIZED (
    SELECT r.id, r.code, r.area, r.prefix, substr(r.number, 7, 2) AS year, ref FROM ready r, unnest(r.refs) AS ref
), cut AS (
    SELECT c.code, c.year
    FROM (SELECT code, year, min(area) AS area FROM reference GROUP BY code, year
        HAVING count(*) >= 20 AND max(right(ref, 4)) < '0100') c
    WHERE EXISTS (SELECT FROM geo.parcelle p WHERE p.idu BETWEEN c.area AND c.area || 'ZZZZZZZZZ' AND right(p.idu, 4) >= '0100')
), named AS MATERIALIZED (
    SELECT n.*, EXISTS (SELECT FROM cut c WHERE c.code = n.code AND c.year = n.year) AS cut
    FROM (SELECT id, code, area, prefix, year, ref FROM reference
        UNION ALL SELECT id, code, code, '', year, ref FROM reference WHERE prefix <> '') n
), part_of AS (
    SELECT a.area, coalesce(k.code, a.area) AS code
    FROM (SELECT DISTINCT area FROM named) a
    LEFT JOIN geo.commune k ON k.commune_code = a.area AND k.type = 'arrondissement-municipal'
), parcel AS (
    SELECT a.area, substr(p.idu, 6, 3) AS prefix, substr(p.idu, 9) AS ref
    FROM part_of a JOIN geo.parcelle p ON p.idu BETWEEN a.code AND a.code || 'ZZZZZZZZZ'
), fit AS (
    SELECT area, ref, '' AS prefix, count(*) AS parcels FROM parcel GROUP BY area, ref
    UNION ALL
    SELECT area, ref, prefix, count(*) FROM parcel GROUP BY area, ref, prefix
)
SELECT n.id, n.area, n.prefix, left(n.ref, 2) AS section, right(n.ref, 4) AS plan,
    CASE WHEN n.cut THEN 2 ELSE coalesce(f.parcels, 0) END::integer AS fits
FROM named n LEFT JOIN fit f ON f.area = n.area AND f.ref = n.ref AND f.prefix = n.prefix
