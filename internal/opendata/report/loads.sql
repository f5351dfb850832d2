-- The loads that speak for the place of a parcel, each with the layers that it does so for.
-- Indexes: coverage_pkey (some 60 rows for the three areas), load_pkey. Some 50 rows.
WITH covered AS MATERIALIZED (
    SELECT DISTINCT c.layer, c.load_id
    FROM geo.coverage c
    WHERE c.area IN ('', @departement, @commune, @arrondissement)
)
SELECT array_agg(c.layer ORDER BY c.layer) AS layers, l.source, l.title, l.producer, l.licence, l.vintage
FROM covered c JOIN geo.load l ON l.id = c.load_id AND l.active
GROUP BY l.id
ORDER BY l.source, l.vintage, l.id
