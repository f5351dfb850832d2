-- The outlines of the régions: those of the file where it has them, else on the mainland the union of their
-- départements, overseas that of their communes. A région is made only when all its départements are there. Gaps
-- between editions are closed as in departement_contour.sql.
-- Reads "ready", "ready_departement" and "stage" once, and "ready" by its spatial index for each hole. Expect 18 rows.
WITH piece AS (
    SELECT d.region_code AS code, d.code AS departement_code, r.edition, r.geom
    FROM ready_departement r JOIN geo.departement d ON d.code = r.code
    UNION ALL
    SELECT k.region_code, k.departement_code, r.edition, r.geom
    FROM ready r JOIN geo.commune k ON k.code = r.code AND k.type = 'commune-actuelle'
    WHERE k.departement_code ~ '^97'
), edited AS (
    SELECT p.code, string_agg(DISTINCT p.edition, ', ' ORDER BY p.edition) AS edition
    FROM piece p
    GROUP BY p.code
    HAVING count(DISTINCT p.departement_code) = (SELECT count(*) FROM geo.departement d WHERE d.region_code = p.code)
), united AS MATERIALIZED (
    SELECT code, geom FROM stage WHERE level = 'regions'
    UNION ALL
    SELECT p.code, ST_Union(p.geom)
    FROM piece p
    WHERE p.code NOT IN (SELECT code FROM stage WHERE level = 'regions')
    GROUP BY p.code
), filled AS (
    SELECT u.code, ST_MakePolygon(ST_ExteriorRing(part.geom), coalesce((
        SELECT array_agg(ST_ExteriorRing(hole.geom) ORDER BY hole.path)
        FROM ST_DumpRings(part.geom) hole
        WHERE hole.path[1] > 0 AND (
            ST_Area(hole.geom::geography) > 50 * ST_Perimeter(hole.geom::geography)
            OR EXISTS (
                SELECT FROM ready r JOIN geo.commune k ON k.code = r.code AND k.type = 'commune-actuelle'
                WHERE r.geom && hole.geom AND k.region_code <> u.code
                  AND ST_Area(ST_Intersection(r.geom, hole.geom)) > ST_Area(hole.geom) / 2))
    ), '{}')) AS geom
    FROM united u CROSS JOIN ST_Dump(u.geom) part
), whole AS (
    SELECT code, ST_Multi(ST_Union(geom)) AS geom FROM filled GROUP BY code
)
SELECT w.code, e.edition, w.geom, ST_Area(w.geom::geography) / 1e6 AS area_km2
FROM whole w JOIN edited e ON e.code = w.code
