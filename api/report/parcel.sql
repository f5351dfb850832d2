-- The polygon of the parcel, the layers that are loaded for its place, and the sources that are loaded for some place.
-- Indexes: parcelle_pkey, coverage_pkey (some 60 rows for the three areas); all active loads, some 1 000. One row, or none for a parcel that is gone.
SELECT p.geom AS shape, (
    SELECT coalesce(array_agg(DISTINCT c.layer), '{}') FROM geo.coverage c
    WHERE c.area IN ('', @departement, @commune, @arrondissement)) AS covered, (
    SELECT coalesce(array_agg(DISTINCT l.source), '{}') FROM geo.load l WHERE l.active) AS loaded
FROM geo.parcelle p
WHERE p.idu = @idu
