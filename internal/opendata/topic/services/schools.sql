-- The nearest schools, with at least one of each level when there is one, and their figures. Where no directory is
-- loaded, the locations of schools are unknown: the schools of the commune (arrondissement) in the figures are returned
-- without a distance.
-- Indexes: enrich_school_geom_idx (some 20 rows, 200 in Paris), enrich_school_index_commune_idx (up to 300 rows),
-- enrich_school_index_id_idx and enrich_school_result_id_idx (ten rows each).
WITH here AS MATERIALIZED (
    SELECT @shape::geometry AS shape, @shape::geometry::geography AS place, 'school' = ANY(@covered::text[]) AS placed, 'school_index' = ANY(@covered::text[]) AS indexed
), near AS (
    SELECT DISTINCT ON (t.id) t.id, t.attrs, d.m
    FROM here h JOIN geo.enrich_school t ON h.placed AND t.geom && geo.around(h.shape, @radius)
    CROSS JOIN LATERAL (SELECT ST_Distance(t.geom::geography, h.place) AS m OFFSET 0) d
    WHERE d.m <= @radius
    ORDER BY t.id, d.m, t.part
), candidate AS (
    SELECT id, attrs, m FROM near
    UNION ALL
    (SELECT DISTINCT ON (t.id) t.id, t.attrs, NULL
    FROM here h JOIN geo.enrich_school_index t ON h.indexed AND NOT h.placed AND t.commune = @arrondissement
    ORDER BY t.id, t.part)
), ranked AS (
    SELECT c.*, row_number() OVER (PARTITION BY c.attrs->>'level' ORDER BY c.m NULLS LAST, c.attrs->>'name', c.id) AS nth
    FROM candidate c
), chosen AS (
    SELECT * FROM ranked ORDER BY nth > 1, m NULLS LAST, nth, attrs->>'level', id LIMIT @limit
)
SELECT c.id AS uai, c.attrs->>'name' AS name, c.attrs->>'level' AS level, c.attrs->>'sector' AS sector,
    (r.attrs->>'successRatePct')::float8 AS success_rate_pct, (r.attrs->>'session')::int AS session,
    (i.attrs->>'ips')::float8 AS ips, i.attrs->>'schoolYear' AS ips_school_year, round(c.m)::int AS distance_m,
    CASE WHEN c.m IS NULL THEN 'commune' ELSE 'distance' END AS listed_by,
    (SELECT count(*) FROM candidate) AS total
FROM chosen c
LEFT JOIN LATERAL (SELECT t.attrs FROM geo.enrich_school_index t WHERE t.id = c.id ORDER BY t.attrs->>'schoolYear' DESC, t.part LIMIT 1) i ON true
LEFT JOIN LATERAL (SELECT t.attrs FROM geo.enrich_school_result t WHERE t.id = c.id ORDER BY t.attrs->>'session' DESC, t.part LIMIT 1) r ON true
ORDER BY c.m NULLS LAST, c.attrs->>'level', c.attrs->>'name', c.id
