-- The loads that speak for the place of a parcel, each with the layers that it does so for.
-- Indexes: coverage_pkey (some 60 rows for the three areas), parcelle_commune_pkey, load_pkey. Some 50 rows.
WITH covered AS MATERIALIZED (
    SELECT c.layer, c.load_id
    FROM geo.coverage c
    WHERE c.area IN ('', @departement, @commune, @arrondissement)
    UNION
    SELECT 'parcels', p.load_id FROM geo.parcelle_commune p WHERE p.code = @arrondissement
)
SELECT array_agg(c.layer ORDER BY c.layer) AS layers, l.source, l.title, l.producer, l.licence, l.vintage
FROM covered c JOIN geo.load l ON l.id = c.load_id AND l.active
GROUP BY l.id
ORDER BY l.source, l.vintage, l.id
