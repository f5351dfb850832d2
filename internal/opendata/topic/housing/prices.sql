-- The prices of the comparable sales of every commune and arrondissement, of the last five years of the load
-- that is served of it: of houses and of flats, all together (by is 'all'), by year and by number of rooms. A
-- city has the sales of its arrondissements, a merged commune those under its former codes. Medians and
-- quartiles are null under @enough sales. Whole tables are read, once for each rendering: some million sales.
WITH served AS MATERIALIZED (
    SELECT DISTINCT ON (commune) commune, part, last_day, greatest(first_day, (last_day - interval '5 years')::date + 1) AS first_day
    FROM geo.dvf_commune ORDER BY commune, last_day DESC, rank DESC, part
), place AS MATERIALIZED (
    SELECT v.*, t.code, k.commune_code AS city
    FROM served v CROSS JOIN LATERAL (SELECT coalesce(geo.commune_today(v.commune), v.commune) AS code OFFSET 0) t
    LEFT JOIN geo.commune k ON k.code = t.code AND k.type = 'arrondissement-municipal'
), sale AS (
    SELECT p.code, p.city, p.part, p.first_day, p.last_day, s.type, extract(year FROM s.date)::integer AS year, CASE WHEN s.rooms > 0 THEN least(s.rooms, 6) END AS rooms,
        s.price, s.price_m2
    FROM place p JOIN geo.dvf_sale s ON s.part = p.part AND s.commune = p.commune AND s.date >= p.first_day
), placed AS (
    SELECT code, part, first_day, last_day, type, year, rooms, price, price_m2 FROM sale
    UNION ALL
    SELECT city, part, first_day, last_day, type, year, rooms, price, price_m2 FROM sale WHERE city IS NOT NULL
)
SELECT code, type, CASE WHEN grouping(year) = 0 THEN 'year' WHEN grouping(rooms) = 0 THEN 'rooms' ELSE 'all' END AS by,
    coalesce(year, rooms, 0) AS value, max(part) AS part, min(first_day)::text, max(last_day)::text, count(*)::integer,
    CASE WHEN count(*) >= @enough THEN round(percentile_cont(0.5) WITHIN GROUP (ORDER BY price_m2))::integer END,
    CASE WHEN count(*) >= @enough THEN round(percentile_cont(0.25) WITHIN GROUP (ORDER BY price_m2))::integer END,
    CASE WHEN count(*) >= @enough THEN round(percentile_cont(0.75) WITHIN GROUP (ORDER BY price_m2))::integer END,
    CASE WHEN count(*) >= @enough THEN round(percentile_cont(0.5) WITHIN GROUP (ORDER BY price))::integer END
FROM placed GROUP BY GROUPING SETS ((code, type), (code, type, year), (code, type, rooms))
HAVING grouping(rooms) = 1 OR rooms IS NOT NULL
ORDER BY code, type, 3, 4
