-- The layers that are loaded for the place of a parcel, and the sources that are loaded for some place.
-- Indexes: coverage_pkey (some 60 rows for the three areas), parcelle_commune_pkey; all active loads, some 1 000. One row.
SELECT (
    SELECT coalesce(array_agg(DISTINCT c.layer), '{}') FROM (
        SELECT c.layer FROM geo.coverage c WHERE c.area IN ('', @departement, @commune, @arrondissement)
        UNION ALL SELECT 'parcels' FROM geo.parcelle_commune p WHERE p.code = @arrondissement) c) AS covered, (
    SELECT coalesce(array_agg(DISTINCT l.source), '{}') FROM geo.load l WHERE l.active) AS loaded
