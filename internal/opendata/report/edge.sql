-- How far from a parcel the area ends that each layer is loaded for, in metres, of the layers that are
-- loaded for the place and not for all of France: the distance to the nearest département that nothing is
-- loaded for and to the nearest commune, or arrondissement, that nothing is loaded for in a département
-- where something is. Null: it ends nowhere. Beyond the coast and the border there is nothing that a load
-- could lack.
-- Indexes: coverage_pkey, commune_contour_pkey. Few communes may be left: OFFSET 0 keeps the planner from asking all outlines of
-- France by distance until it has five. The nearest 20 départements are measured, more than a région
-- has, and of those where not all is loaded, with some 300 communes each, the nearest five communes.
-- One row a set of areas, mostly none.
-- Distances are those in a plane around the parcel, less than 1 % off within 100 km, the widest radius of a key: on
-- the ellipsoid the outline of a département takes a hundred times as long.
WITH plane AS MATERIALIZED (
    SELECT x, y, ST_Affine(@shape::geometry, x, 0, 0, y, 0, 0) AS shape
    FROM (SELECT 111320 * cos(radians(ST_YMin(@shape::geometry))) AS x, 111200::float8 AS y) s
), near_departement AS MATERIALIZED (
    SELECT k.code, ST_Distance(ST_Affine(k.geom, p.x, 0, 0, p.y, 0, 0), p.shape) AS metres FROM plane p, (
        SELECT code, geom FROM geo.departement_contour ORDER BY geom <#> @shape::geometry LIMIT 20) k
), partial AS MATERIALIZED (
    SELECT c.layer FROM geo.coverage c WHERE c.layer = ANY (@reaching::text[])
    GROUP BY c.layer HAVING bool_or(c.area IN (@departement, @commune, @arrondissement)) AND NOT bool_or(c.area = '')
), extent AS MATERIALIZED (
    SELECT e.areas, array_agg(e.layer) AS layers
    FROM (SELECT c.layer, array_agg(DISTINCT c.area ORDER BY c.area) AS areas FROM geo.coverage c JOIN partial p ON p.layer = c.layer GROUP BY c.layer) e
    GROUP BY e.areas
), department AS MATERIALIZED (
    SELECT e.areas, d.code, bool_or(a.area = d.code) AS held, bool_or(starts_with(a.area, d.code)) AS touched
    FROM extent e CROSS JOIN geo.departement d CROSS JOIN LATERAL unnest(e.areas) a(area)
    GROUP BY e.areas, d.code
)
SELECT e.layers, least(outer_edge.metres, inner_edge.metres, town_edge.metres) AS metres
FROM extent e
CROSS JOIN LATERAL (
    SELECT min(n.metres) AS metres FROM near_departement n JOIN department d ON d.code = n.code AND d.areas = e.areas AND NOT d.touched) outer_edge
CROSS JOIN LATERAL (
    SELECT min(ST_Distance(ST_Affine(n.geom, p.x, 0, 0, p.y, 0, 0), p.shape)) AS metres FROM plane p, (
        SELECT k.geom FROM (SELECT k.geom FROM department d JOIN geo.commune c ON c.departement_code = d.code AND c.type = 'commune-actuelle'
            JOIN geo.commune_contour k ON k.code = c.code
        WHERE d.areas = e.areas AND d.touched AND NOT d.held AND k.code <> ALL (e.areas)
            AND NOT EXISTS (SELECT FROM geo.commune a JOIN geo.arrondissement_contour t ON t.code = a.code
                WHERE a.type = 'arrondissement-municipal' AND a.commune_code = k.code) OFFSET 0) k
        ORDER BY k.geom <-> @shape::geometry LIMIT 5) n) inner_edge
CROSS JOIN LATERAL (
    SELECT min(ST_Distance(ST_Affine(n.geom, p.x, 0, 0, p.y, 0, 0), p.shape)) AS metres FROM plane p, (
        SELECT k.geom FROM (SELECT k.geom FROM department d JOIN geo.commune c ON c.departement_code = d.code AND c.type = 'arrondissement-municipal'
            JOIN geo.arrondissement_contour k ON k.code = c.code
        WHERE d.areas = e.areas AND d.touched AND NOT d.held AND k.code <> ALL (e.areas) AND c.commune_code <> ALL (e.areas) OFFSET 0) k
        ORDER BY k.geom <-> @shape::geometry LIMIT 5) n) town_edge
