-- The polygon of the parcel and the layers that are loaded for its place.
-- Indexes: parcelle_pkey, coverage_pkey (some 60 rows for the three areas). One row, or none for a parcel that is gone.
SELECT p.geom AS shape, (
    SELECT coalesce(array_agg(DISTINCT c.layer), '{}') FROM geo.coverage c
    WHERE c.area IN ('', @departement, @commune, @arrondissement)) AS covered
FROM geo.parcelle p
WHERE p.idu = @idu
