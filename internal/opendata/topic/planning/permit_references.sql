-- The parcels that the permits of a load name, each with the number of parcels that fit today. The numbers of a section
-- ascend, and none is given twice: where the same section of another prefix has reached the number, the reference may be
-- that of a parcel there that was divided since. A commune that was merged since may still have parcels under its own code.
-- In some years of some communes the numbers are cut to two figures: where all of a year are below 100 and the commune has
-- greater ones, none of them is used. Nor is one of a permit that is older than the day on which a part of the commune left
-- it: the parcel may be in that part.
-- Reads the references of the parcels of the communes in the load, by parcel_block_pkey.
WITH left_by AS (
    SELECT code_before AS code, max(day) AS day FROM geo.commune_movement
    WHERE kind IN (20, 21) AND type_before = 'COM' AND type_after = 'COM' AND code_after <> code_before GROUP BY code_before
), reference AS MATERIALIZED (
    SELECT r.id, r.code, r.area, r.prefix, substr(r.number, 7, 2) AS year, ref,
        greatest(s.day, t.day) IS NOT NULL AND coalesce(r.date < greatest(s.day, t.day), true) AS split
    FROM ready r LEFT JOIN left_by s ON s.code = r.code LEFT JOIN left_by t ON t.code = r.area AND r.prefix = '',
        unnest(r.refs) AS ref
), part_of AS (
    SELECT a.area, coalesce(k.code, a.area) AS code
    FROM (SELECT area FROM reference UNION SELECT code FROM reference WHERE prefix <> '') a
    LEFT JOIN geo.commune k ON k.commune_code = a.area AND k.type = 'arrondissement-municipal'
), parcel AS MATERIALIZED (
    SELECT a.area, left(p.idu, 8) AS place, substr(p.idu, 9) AS ref
    FROM part_of a JOIN geo.parcel_block b ON b.first_idu BETWEEN a.code AND a.code || 'ZZZZZZZZZ'
    CROSS JOIN LATERAL unnest(b.idus) AS p (idu)
), section AS MATERIALIZED (
    SELECT area, place, left(ref, 2) AS section, max(right(ref, 4)) AS last FROM parcel GROUP BY area, place, left(ref, 2)
), cut AS (
    SELECT c.code, c.area, c.year
    FROM (SELECT code, area, year FROM reference GROUP BY code, area, year HAVING max(right(ref, 4)) < '0100') c
    WHERE c.area IN (SELECT s.area FROM section s WHERE s.last >= '0100')
), named AS MATERIALIZED (
    SELECT n.id, a.area, a.prefix, n.ref, n.split OR c.code IS NOT NULL AS uncertain
    FROM reference n LEFT JOIN cut c ON c.code = n.code AND c.area = n.area AND c.year = n.year
    CROSS JOIN LATERAL (SELECT n.area, n.prefix UNION ALL SELECT n.code, '' WHERE n.prefix <> '') a
), fit AS (
    SELECT a.area, a.prefix, a.ref, CASE WHEN count(p.ref) > 0 THEN count(*) ELSE 0 END AS parcels
    FROM (SELECT DISTINCT area, prefix, ref FROM named) a
    JOIN section s ON s.area = a.area AND s.section = left(a.ref, 2) AND s.last >= right(a.ref, 4)
        AND a.prefix IN ('', right(s.place, 3))
    LEFT JOIN parcel p ON p.area = s.area AND p.place = s.place AND p.ref = a.ref
    GROUP BY a.area, a.prefix, a.ref
)
SELECT n.id, n.area, n.prefix, left(n.ref, 2) AS section, right(n.ref, 4) AS plan,
    CASE WHEN n.uncertain THEN 2 ELSE coalesce(f.parcels, 0) END::integer AS fits
FROM named n LEFT JOIN fit f ON f.area = n.area AND f.ref = n.ref AND f.prefix = n.prefix
