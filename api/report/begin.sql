-- What every statement of the report starts from: the polygon of the parcel, the layers that are loaded for its
-- place, and the loads they come from.
-- Indexes: parcelle_pkey, coverage_pkey (some 60 rows for the three areas), load_pkey. One row, or none for a parcel that is gone.
WITH covered AS MATERIALIZED (
    SELECT DISTINCT c.layer, c.load_id
    FROM geo.coverage c
    WHERE c.area IN ('', @departement, @commune, @arrondissement)
), loads AS (
    SELECT l.id, array_agg(c.layer ORDER BY c.layer) AS layers, l.source, l.title, l.producer, l.licence, l.vintage, l.demonstration
    FROM covered c JOIN geo.load l ON l.id = c.load_id AND l.active
    GROUP BY l.id
)
SELECT p.geom,
    (SELECT coalesce(array_agg(DISTINCT layer), '{}') FROM covered),
    (SELECT coalesce(json_agg(json_build_object('layers', layers, 'source', source, 'title', title, 'producer', producer,
        'licence', licence, 'vintage', vintage, 'demonstration', demonstration) ORDER BY source, vintage, id), '[]') FROM loads)
FROM geo.parcelle p
WHERE p.idu = @idu
