-- The sales of the parcel: one row a mutation, with its units and land on the parcel. A unit has one row for each of
-- its plots, and a plot one for each unit; the first of each counts.
-- Indexes: dvf_commune_commune_idx, dvf_idx on idu, dvf_pkey. A handful of rows; some hundreds for a large building.
WITH source AS MATERIALIZED (
    SELECT part FROM geo.dvf_commune WHERE commune = left(@idu, 5) ORDER BY last_day DESC, rank DESC, part LIMIT 1
), own AS (
    SELECT r.*, coalesce(r.type <> 'Dépendance', false) AS main,
        dense_rank() OVER (PARTITION BY r.mutation, r.type, r.built, r.rooms, r.lot ORDER BY r.culture, r.culture_special, r.land) AS nth_plot,
        dense_rank() OVER (PARTITION BY r.mutation, r.culture, r.culture_special, r.land ORDER BY r.type, r.built, r.rooms, r.lot) AS nth_unit
    FROM source s JOIN geo.dvf r ON r.part = s.part
    WHERE r.idu = @idu
), sale AS (
    SELECT part, mutation, min(date) AS date, min(nature) AS nature, max(price) AS price,
        (array_agg(type ORDER BY main DESC, built DESC NULLS LAST, type) FILTER (WHERE type IS NOT NULL))[1] AS type,
        count(*) FILTER (WHERE main AND nth_plot = 1) AS units,
        sum(built) FILTER (WHERE main AND nth_plot = 1) AS built,
        sum(land) FILTER (WHERE nth_unit = 1) AS land,
        sum(rooms) FILTER (WHERE main AND nth_plot = 1) AS rooms,
        sum(lots) FILTER (WHERE nth_plot = 1) AS lots
    FROM own
    GROUP BY part, mutation
    ORDER BY min(date) DESC, mutation
    LIMIT 50
)
SELECT coalesce(json_agg(json_build_object('id', s.mutation, 'date', s.date, 'nature', s.nature, 'priceEur', s.price, 'type', s.type,
    'units', s.units, 'builtM2', nullif(s.built, 0), 'landM2', nullif(s.land, 0), 'rooms', nullif(s.rooms, 0), 'lots', s.lots,
    'parcels', p.parcels) ORDER BY s.date DESC, s.mutation), '[]')
FROM sale s CROSS JOIN LATERAL (
    SELECT count(DISTINCT r.idu) AS parcels FROM geo.dvf r WHERE r.part = s.part AND r.mutation = s.mutation) p
