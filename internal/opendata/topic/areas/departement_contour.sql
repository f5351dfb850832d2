-- The outlines of the mainland départements: those of the file where it has them on the same borders as the communes,
-- else the union of their communes, so that borders agree. The overseas ones are left out: the contract serves 96.
-- Editions of unlike detail leave gaps between neighbours, metres wide and longer than a commune. A hole is kept when a
-- commune of another département fills it (an enclave), or when it is wider than 100 m, taking width as
-- 2 × area / perimeter (foreign land such as Llívia, an estuary); the others are closed.
-- Reads "ready" (34 875 rows) and "stage" once, and "ready" by its spatial index for each hole. Expect 96 rows.
WITH edited AS (
    SELECT k.departement_code AS code, string_agg(DISTINCT r.edition, ', ' ORDER BY r.edition) AS edition
    FROM ready r JOIN geo.commune k ON k.code = r.code AND k.type = 'commune-actuelle'
    WHERE k.departement_code !~ '^9[78]'
    GROUP BY k.departement_code
), united AS MATERIALIZED (
    SELECT code, geom FROM stage WHERE level = 'departements'
    UNION ALL
    SELECT k.departement_code, ST_Union(r.geom)
    FROM ready r JOIN geo.commune k ON k.code = r.code AND k.type = 'commune-actuelle'
    WHERE k.departement_code !~ '^9[78]' AND k.departement_code NOT IN (SELECT code FROM stage WHERE level = 'departements')
    GROUP BY k.departement_code
), filled AS (
    SELECT u.code, ST_MakePolygon(ST_ExteriorRing(part.geom), coalesce((
        SELECT array_agg(ST_ExteriorRing(hole.geom) ORDER BY hole.path)
        FROM ST_DumpRings(part.geom) hole
        WHERE hole.path[1] > 0 AND (
            ST_Area(hole.geom::geography) > 50 * ST_Perimeter(hole.geom::geography)
            OR EXISTS (
                SELECT FROM ready r JOIN geo.commune k ON k.code = r.code AND k.type = 'commune-actuelle'
                WHERE r.geom && hole.geom AND k.departement_code <> u.code
                  AND ST_Area(ST_Intersection(r.geom, hole.geom)) > ST_Area(hole.geom) / 2))
    ), '{}')) AS geom
    FROM united u CROSS JOIN ST_Dump(u.geom) part
), whole AS (
    SELECT code, ST_Multi(ST_Union(geom)) AS geom FROM filled GROUP BY code
)
SELECT w.code, e.edition, w.geom, ST_Area(w.geom::geography) / 1e6 AS area_km2
FROM whole w JOIN edited e ON e.code = w.code
