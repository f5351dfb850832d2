-- The mutations that sell exactly one building unit, a house or a flat, at a price that is one: from the rows of a load
-- ("ready"). A unit stands on a row for each of its plots, and a plot on a row for each unit: the rows that a unit has
-- on its first plot count. Two units that are alike in everything stay two, on one plot: of plots that are alike under
-- units one counts.
-- Indexes: parcel_block_pkey for sales without a position, parcelle_passee_pkey.
WITH unit AS (
    -- The mutations of one unit. The planner expects a third of the rows of "< 2", hardly any of "= 1".
    SELECT mutation
    FROM (SELECT mutation, rank() OVER (PARTITION BY mutation, idu, type, built, rooms, lot ORDER BY culture, culture_special, land) AS nth_plot
        FROM ready WHERE type IN ('Maison', 'Appartement')) r
    WHERE nth_plot < 2
    GROUP BY mutation HAVING count(*) < 2
), counted AS (
    SELECT r.*, coalesce(type IN ('Maison', 'Appartement'), false) AS main,
        row_number() OVER plot = 1 OR bool_and(type IS NULL) OVER plot AS first_of_plot
    FROM unit JOIN ready r USING (mutation)
    WINDOW plot AS (PARTITION BY mutation, idu, culture, culture_special, land)
), sale AS (
    SELECT mutation, min(date) AS date, max(price) AS price,
        max(type) FILTER (WHERE main) AS type, max(built) FILTER (WHERE main) AS built, max(rooms) FILTER (WHERE main) AS rooms,
        sum(land) FILTER (WHERE first_of_plot) AS land,
        max(idu) FILTER (WHERE main) AS idu,
        (array_agg(geom) FILTER (WHERE main AND geom IS NOT NULL))[1] AS geom
    FROM counted
    GROUP BY mutation
    HAVING NOT bool_or(coalesce(type, 'Dépendance') NOT IN ('Maison', 'Appartement', 'Dépendance'))
        AND bool_and(nature = 'Vente') AND min(price) = max(price)
), parcel AS MATERIALIZED (
    -- OFFSET 0 opens the blocks of a commune once for all its sales.
    SELECT u.idu, ST_PointOnSurface(ST_SetSRID(ST_GeomFromTWKB(u.shape), 4326)) AS geom
    FROM (SELECT DISTINCT left(idu, 5) AS code FROM sale WHERE geom IS NULL) c
    JOIN geo.parcel_block b ON b.first_idu BETWEEN c.code AND c.code || 'ZZZZZZZZZ'
    CROSS JOIN LATERAL (SELECT p.idu, p.shape FROM unnest(b.idus, b.shapes) AS p (idu, shape) OFFSET 0) u
    WHERE u.idu IN (SELECT idu FROM sale WHERE geom IS NULL)
)
SELECT mutation, date, type, price, built, price / built AS price_m2, nullif(rooms, 0) AS rooms, land, left(idu, 5) AS commune, geom
FROM (
    -- The raw files have no coordinates: the parcel's, as it is or was, take their place.
    SELECT s.mutation, s.date, s.type, s.price, s.built, s.rooms, s.land, s.idu, coalesce(s.geom,
        p.geom,
        (SELECT ST_PointOnSurface(p.geom) FROM geo.parcelle_passee p WHERE p.idu = s.idu)) AS geom
    FROM sale s LEFT JOIN parcel p ON p.idu = s.idu
    WHERE s.price > 0 AND s.built > 0
) s
WHERE geom IS NOT NULL AND price / built BETWEEN 100 AND 30000
