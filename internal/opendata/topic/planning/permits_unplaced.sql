-- How many permits of each commune have a reference that several parcels fit, one that no parcel has, or none. Only where
-- all parcels are loaded. A permit that the file of dwellings has too is counted there.
-- Indexes: parcelle_commune_pkey, permit_id_idx.
WITH searched AS (
    SELECT a.area FROM (SELECT DISTINCT area FROM ready) a
    LEFT JOIN geo.commune k ON k.commune_code = a.area AND k.type = 'arrondissement-municipal'
    LEFT JOIN geo.parcelle_commune c ON c.code = coalesce(k.code, a.area) AND c.complete
    GROUP BY a.area HAVING bool_and(c.code IS NOT NULL)
), referenced AS (
    SELECT id, max(fits) AS most, min(fits) AS least
    FROM (SELECT id, section, plan, sum(fits) AS fits FROM permit_references GROUP BY id, section, plan) one GROUP BY id
)
SELECT r.area, (count(*) FILTER (WHERE n.most > 1))::integer AS ambiguous, (count(*) FILTER (WHERE n.least = 0))::integer AS gone,
    (count(*) FILTER (WHERE n.id IS NULL))::integer AS unreferenced
FROM ready r JOIN searched s ON s.area = r.area LEFT JOIN referenced n ON n.id = r.id
WHERE NOT (r.part LIKE 'sitadel-locaux%' AND EXISTS (
    SELECT FROM geo.permit o WHERE o.id = r.id AND o.part LIKE 'sitadel-logements%'))
GROUP BY r.area
