-- The energy-performance diagnostics of the addresses of the parcel, else those near it, without replaced ones.
-- OFFSET 0 keeps the planner from reading the whole index of replaced diagnostics.
-- Indexes: adresse_geom_idx, adresse_parcels_idx, dpe_address_id_idx, dpe_geom_idx, dpe_replaces_idx. Some tens of
-- rows; a thousand for a large block of flats.
WITH place AS MATERIALIZED (SELECT @shape::geometry AS shape, cos(radians(ST_Y(ST_Centroid(ST_Envelope(@shape::geometry))))) AS k),
piece AS MATERIALIZED (
    SELECT d.shape, geo.flat(d.shape, p.k) AS flat, p.k, geo.around(d.shape, @radius) AS wide FROM place p, ST_Subdivide(p.shape, 128) AS d(shape)
),
inside AS MATERIALIZED (
    SELECT DISTINCT a.id FROM piece p JOIN geo.adresse a ON a.geom && p.shape AND ST_Intersects(p.shape, a.geom)
    WHERE 'adresse' = ANY (@covered::text[])
), address AS MATERIALIZED (
    SELECT id FROM inside
    UNION
    SELECT a.id FROM geo.adresse a
    WHERE a.parcels @> ARRAY[@idu::text] AND 'adresse' = ANY (@covered::text[]) AND NOT EXISTS (SELECT FROM inside)
), known AS MATERIALIZED (
    SELECT d.*, 'address' AS match
    FROM address a JOIN geo.dpe d ON d.address_id = a.id
    WHERE NOT EXISTS (SELECT FROM geo.dpe r WHERE r.replaces = d.id AND r.id <> d.id OFFSET 0)
), near AS (
    SELECT d.*, 'near' AS match
    FROM piece p JOIN geo.dpe d ON d.geom && p.wide
        CROSS JOIN LATERAL (SELECT geo.point_metres(d.geom, p.flat, p.k) AS m OFFSET 0) n
    WHERE n.m <= @radius AND NOT EXISTS (SELECT FROM known)
        AND NOT EXISTS (SELECT FROM geo.dpe r WHERE r.replaces = d.id AND r.id <> d.id OFFSET 0)
), single AS (
    SELECT DISTINCT ON (id) * FROM (SELECT * FROM known UNION ALL SELECT * FROM near) d ORDER BY id, part
)
SELECT d.id, d.date::text AS date, d.valid_until::text AS valid_until, d.energy_class, d.ghg_class, d.consumption AS consumption_kwh_m2,
    d.emissions AS emissions_kg_m2, d.building_type, d.built_year, d.built_period, d.living_area AS living_area_m2, d.match,
    round(geo.point_metres(d.geom, geo.flat(h.shape, h.k), h.k))::int AS distance_m,
    (SELECT count(*) FROM single) AS total
FROM place h CROSS JOIN (SELECT * FROM single ORDER BY date DESC, id LIMIT @limit) d
ORDER BY d.date DESC, d.id
