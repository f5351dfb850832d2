-- The categories of a load of easements, and the places that it speaks for with each: the commune, département or
-- région that a document is named after. One that names none speaks for the communes that its own easements touch.
WITH named AS (
    SELECT DISTINCT attrs->>'category' AS category, nullif(attrs->>'territory', '') AS territory FROM ready
)
SELECT n.category, k.code FROM named n JOIN geo.commune k ON k.code = n.territory AND k.type = 'commune-actuelle'
UNION
SELECT n.category, d.code FROM named n JOIN geo.departement d ON d.code = n.territory OR '0' || d.code = n.territory
    OR 'R' || d.region_code = n.territory
UNION
SELECT n.category, '' FROM named n WHERE n.territory = '000'
UNION
SELECT r.attrs->>'category', k.code FROM ready r JOIN geo.commune_contour k ON k.geom && r.geom AND ST_Intersects(k.geom, r.geom)
WHERE r.attrs->>'territory' IS NULL
