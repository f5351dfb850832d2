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
