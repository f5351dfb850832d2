-- The places that an archive of easements speaks for: the commune, département or région that it is named after. One
-- that names none speaks for the communes that its own easements touch.
WITH named AS (
    SELECT DISTINCT nullif(attrs->>'territory', '') AS territory FROM ready
)
SELECT k.code FROM named n JOIN geo.commune k ON k.code = n.territory AND k.type = 'commune-actuelle'
UNION
SELECT d.code FROM named n JOIN geo.departement d ON d.code = n.territory OR '0' || d.code = n.territory
    OR 'R' || d.region_code = n.territory
UNION
SELECT '' FROM named n WHERE n.territory = '000'
UNION
SELECT k.code FROM ready r JOIN geo.commune_contour k ON k.geom && r.geom AND ST_Intersects(k.geom, r.geom)
WHERE r.attrs->>'territory' IS NULL
