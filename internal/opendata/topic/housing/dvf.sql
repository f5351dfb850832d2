-- The sales of the parcel: one row a mutation, with its units and land on the parcel. A unit has one row for each of
-- its plots, and a plot one for each unit. The rows that a unit has on its first plot count, so that two that are alike
-- stay two. Of plots that are alike under units one counts: their rows are those of alike units, such as two sheds.
-- Lots that are sold as one group are repeated for each unit in them: the rows of one first lot count once.
-- Without a sale one row with an empty id, for the first and the last day of the sales of the commune's load.
-- Indexes: dvf_commune_commune_idx, dvf_idx on idu, dvf_pkey. A handful of rows; some hundreds for a large building.
WITH source AS MATERIALIZED (
    SELECT part, first_day, last_day FROM geo.dvf_commune WHERE commune = left(@idu, 5) ORDER BY last_day DESC, rank DESC, part LIMIT 1
), own AS (
    SELECT r.*, coalesce(r.type <> 'Dépendance', false) AS main,
        dense_rank() OVER (PARTITION BY r.mutation, r.type, r.built, r.rooms, r.lot ORDER BY r.culture, r.culture_special, r.land) AS nth_plot,
        row_number() OVER plot = 1 OR bool_and(r.type IS NULL) OVER plot AS first_of_plot,
        row_number() OVER (PARTITION BY r.mutation, r.lot ORDER BY r.lots DESC NULLS LAST) AS nth_of_lot
    FROM source s JOIN geo.dvf r ON r.part = s.part
    WHERE r.idu = @idu
    WINDOW plot AS (PARTITION BY r.mutation, r.culture, r.culture_special, r.land)
), sale AS (
    SELECT part, mutation, min(date) AS date, min(nature) AS nature, max(price) AS price,
        (array_agg(type ORDER BY main DESC, built DESC NULLS LAST, type) FILTER (WHERE type IS NOT NULL))[1] AS type,
        count(*) FILTER (WHERE main AND nth_plot = 1) AS units,
        sum(built) FILTER (WHERE main AND nth_plot = 1) AS built,
        sum(land) FILTER (WHERE first_of_plot) AS land,
        sum(rooms) FILTER (WHERE main AND nth_plot = 1) AS rooms,
        sum(lots) FILTER (WHERE CASE WHEN lot IS NULL THEN nth_plot ELSE nth_of_lot END = 1) AS lots
    FROM own
    GROUP BY part, mutation
    ORDER BY min(date) DESC, mutation
    LIMIT @limit
)
SELECT coalesce(s.mutation, '') AS id, coalesce(s.date::text, '') AS date, s.nature, s.price AS price_eur, s.type,
    coalesce(s.units, 0) AS units, nullif(s.built, 0) AS built_m2, nullif(s.land, 0) AS land_m2, nullif(s.rooms, 0) AS rooms,
    s.lots, p.parcels, coalesce(p.others, '{}') AS other_parcels, (SELECT count(DISTINCT (part, mutation)) FROM own) AS total,
    d.first_day::text AS first_day, d.last_day::text AS last_day
FROM source d LEFT JOIN sale s ON true CROSS JOIN LATERAL (
    SELECT count(DISTINCT r.idu) AS parcels, (array_agg(DISTINCT r.idu) FILTER (WHERE r.idu <> @idu))[:10] AS others
    FROM geo.dvf r WHERE r.part = s.part AND r.mutation = s.mutation) p
ORDER BY s.date DESC, s.mutation
