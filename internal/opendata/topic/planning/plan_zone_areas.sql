-- The communes that the zones of a load fill. A zoning leaves nothing out: a commune counts when sixteen points spread
-- over its outline lie in zones, one excepted, because outlines and zones are not drawn alike. Where no outline is
-- loaded the document's name speaks. A commune that merged with others is covered by its old plan in part only,
-- which the name does not tell and the points do.
WITH places AS MATERIALIZED (
    SELECT k.code, k.geom FROM geo.commune_contour k
    WHERE k.geom && (SELECT ST_SetSRID(ST_Extent(geom)::geometry, 4326) FROM ready)
), points AS MATERIALIZED (
    SELECT k.code, p.geom FROM places k CROSS JOIN LATERAL ST_Dump(ST_GeneratePoints(k.geom, 16, 1)) p
), filled AS (
    -- The rows are in the layer by now, and it has an index on places. The sum of text keeps the index on parts, which
    -- would read the whole load for each point, from being taken.
    SELECT p.code FROM points p, this_load t
    GROUP BY p.code
    HAVING count(*) FILTER (WHERE EXISTS (SELECT FROM geo.enrich_plan_zone z
        WHERE z.part || '' = t.part AND z.geom && p.geom AND ST_Intersects(z.geom, p.geom))) >= 15
)
SELECT code FROM filled
UNION
SELECT k.code FROM (SELECT DISTINCT attrs->>'territory' AS territory FROM ready) z
JOIN geo.commune k ON k.code = z.territory AND k.type = 'commune-actuelle'
WHERE NOT EXISTS (SELECT FROM geo.commune_contour o WHERE o.code = k.code)
UNION
-- A carte communale draws sectors, and what it draws nothing for is not open to building: it covers its
-- commune, unless others have merged with that one since.
SELECT k.code FROM this_load t, (SELECT attrs->>'territory' AS territory, max(attrs->>'validOn') AS valid_on FROM ready GROUP BY 1) z
JOIN geo.commune k ON k.code = z.territory AND k.type = 'commune-actuelle'
WHERE (t.scope LIKE '%\_CC' OR t.part LIKE 'gpu-sectors-national%')
    AND NOT EXISTS (SELECT FROM geo.commune_movement m WHERE m.code_after = k.code AND m.code_before <> k.code AND m.type_after = 'COM'
        AND m.day > coalesce(z.valid_on::date, t.vintage, '-infinity'))
