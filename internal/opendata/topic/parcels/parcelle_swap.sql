-- Puts the parcels of a load in service, commune by commune: where the load is the newest known one its parcels
-- replace the served ones, elsewhere they only add to what is known of parcels that are gone. The result does not
-- depend on the order in which loads arrive.
-- "ready" has an index on idu where something is served of its communes; else no statement may need one.
-- A load is newer by (complete, vintage, rank); what is equal is a correction and wins.
-- Communes of which something is served are taken out of their blocks, changed, and written as blocks again.
-- Uses parcel_block_pkey by ranges of the commune's code, parcelle_passee_pkey, parcelle_commune_pkey. A commune has some
-- 2 700 parcels, a département about a million.

--- The communes that this load covers: those it holds, and, when it is complete, all those of its scope.
CREATE TEMP TABLE covered ON COMMIT DROP AS
SELECT c.code, s.load_id AS served_load, s.vintage AS served_vintage, s.rank AS served_rank,
       s.complete AS served_complete,
       s.code IS NULL OR (l.complete, coalesce(l.vintage, '-infinity'), l.rank)
                      >= (s.complete, coalesce(s.vintage, '-infinity'), s.rank) AS newest
FROM this_load l
CROSS JOIN LATERAL (
    SELECT DISTINCT left(r.idu, 5) AS code FROM ready r
    UNION
    SELECT k.code FROM geo.commune k
    WHERE l.complete AND k.type IN ('commune-actuelle', 'arrondissement-municipal')
      AND (k.code = l.scope OR k.departement_code = l.scope)
      AND NOT EXISTS (SELECT FROM geo.commune a WHERE a.type = 'arrondissement-municipal' AND a.commune_code = k.code)
) c
LEFT JOIN geo.parcelle_commune s ON s.code = c.code

--- A load that is served in several départements ends with the last of them: of two that replace it at the same time the second has to
--- see what the first left.
SELECT FROM geo.load WHERE id IN (SELECT served_load FROM covered) ORDER BY id FOR UPDATE

--- The parcels that are served of these communes.
CREATE TEMP TABLE served ON COMMIT DROP AS
SELECT p.* FROM covered c CROSS JOIN LATERAL geo.parcels_of(c.code) p WHERE c.served_load IS NOT NULL

--- Else the planner takes most communes for older ones.
ANALYZE covered, served (idu)

--- An older load: parcels that are not served now are gone, unless both loads are parts of a commune.
INSERT INTO geo.parcelle_passee AS p (idu, vintage, rank, contenance, geom)
SELECT r.idu, l.vintage, l.rank, r.contenance, r.geom
FROM this_load l, covered c JOIN ready r ON left(r.idu, 5) = c.code
WHERE NOT c.newest AND (l.complete OR c.served_complete)
  AND NOT EXISTS (SELECT FROM served s WHERE s.idu = r.idu)
ON CONFLICT (idu) DO UPDATE
SET vintage = EXCLUDED.vintage, rank = EXCLUDED.rank, contenance = EXCLUDED.contenance, geom = EXCLUDED.geom
WHERE (coalesce(EXCLUDED.vintage, '-infinity'), EXCLUDED.rank) >= (coalesce(p.vintage, '-infinity'), p.rank)

--- A newer, complete load: what is served and not in it is gone.
INSERT INTO geo.parcelle_passee AS p (idu, vintage, rank, contenance, geom)
SELECT s.idu, c.served_vintage, c.served_rank, s.contenance, s.geom
FROM this_load l, covered c JOIN served s ON left(s.idu, 5) = c.code
WHERE c.newest AND l.complete AND NOT EXISTS (SELECT FROM ready r WHERE r.idu = s.idu)
ON CONFLICT (idu) DO UPDATE
SET vintage = EXCLUDED.vintage, rank = EXCLUDED.rank, contenance = EXCLUDED.contenance, geom = EXCLUDED.geom
WHERE (coalesce(EXCLUDED.vintage, '-infinity'), EXCLUDED.rank) >= (coalesce(p.vintage, '-infinity'), p.rank)

--- Of two parts of a commune both are served; a parcel that is in both, as the newer one has it.
CREATE TEMP VIEW changed AS
SELECT r.idu, r.contenance, r.feuille, r.geom FROM ready r JOIN covered c ON c.code = left(r.idu, 5) WHERE c.newest
UNION ALL
SELECT s.* FROM this_load l, served s JOIN covered c ON c.code = left(s.idu, 5)
WHERE c.newest AND NOT l.complete AND NOT EXISTS (SELECT FROM ready r WHERE r.idu = s.idu)
   OR NOT c.newest AND NOT l.complete AND NOT c.served_complete
UNION ALL
SELECT r.idu, r.contenance, r.feuille, r.geom FROM this_load l, ready r JOIN covered c ON c.code = left(r.idu, 5)
WHERE NOT c.newest AND NOT l.complete AND NOT c.served_complete AND NOT EXISTS (SELECT FROM served s WHERE s.idu = r.idu)

---
DELETE FROM geo.parcel_block b USING covered c, this_load l
WHERE b.first_idu BETWEEN c.code AND c.code || 'ZZZZZZZZZ' AND c.served_load IS NOT NULL
  AND (c.newest OR NOT l.complete AND NOT c.served_complete)

---
SELECT geo.write_parcels('changed')

--- What is served again is not gone.
DELETE FROM geo.parcelle_passee p USING this_load l, ready r JOIN covered c ON c.code = left(r.idu, 5)
WHERE p.idu = r.idu AND (c.newest OR NOT l.complete AND NOT c.served_complete OR EXISTS (SELECT FROM served s WHERE s.idu = r.idu))

---
INSERT INTO geo.parcelle_commune AS p (code, vintage, rank, complete, names_sheet, load_id)
SELECT c.code, l.vintage, l.rank, l.complete, 'feuille' = ANY (l.columns), l.id FROM covered c, this_load l WHERE c.newest
ON CONFLICT (code) DO UPDATE SET vintage = EXCLUDED.vintage, rank = EXCLUDED.rank, complete = EXCLUDED.complete,
    names_sheet = EXCLUDED.names_sheet, load_id = EXCLUDED.load_id

--- A load is active while a commune is served from it.
UPDATE geo.load l SET active = false
WHERE l.active AND l.id IN (SELECT served_load FROM covered)
  AND NOT EXISTS (SELECT FROM geo.parcelle_commune c WHERE c.load_id = l.id)

---
UPDATE geo.load l SET active = true
FROM this_load t
WHERE l.id = t.id AND EXISTS (SELECT FROM geo.parcelle_commune c WHERE c.load_id = l.id)
