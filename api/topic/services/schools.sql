-- The schools within 2 km, at most ten, with at least one of each level when there is one, and their figures. Where no
-- directory is loaded, the locations of schools are unknown: the schools of the commune (arrondissement) in the figures
-- are returned without a distance.
-- Indexes: enrich_school_geom_idx (some 20 rows, 200 in Paris), enrich_school_index_commune_idx (up to 300 rows),
-- enrich_school_index_id_idx and enrich_school_result_id_idx (ten rows each).
WITH here AS MATERIALIZED (
    SELECT @shape::geometry AS shape, @shape::geometry::geography AS place, 'school' = ANY(@covered::text[]) AS placed, 'school_index' = ANY(@covered::text[]) AS indexed
), near AS (
    SELECT DISTINCT ON (t.id) t.id, t.attrs, d.m
    FROM here h JOIN geo.enrich_school t ON h.placed AND t.geom && geo.around(h.shape, 2000)
    CROSS JOIN LATERAL (SELECT ST_Distance(t.geom::geography, h.place) AS m OFFSET 0) d
    WHERE d.m <= 2000
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
    SELECT * FROM ranked ORDER BY nth > 1, m NULLS LAST, nth, attrs->>'level', id LIMIT 10
)
SELECT coalesce(json_agg(json_build_object('uai', c.id, 'name', c.attrs->>'name', 'level', c.attrs->>'level', 'sector', c.attrs->>'sector',
        'successRatePct', (r.attrs->>'successRatePct')::float8, 'session', (r.attrs->>'session')::int,
        'ips', (i.attrs->>'ips')::float8, 'ipsSchoolYear', i.attrs->>'schoolYear', 'distanceM', round(c.m)::int)
    ORDER BY c.m NULLS LAST, c.attrs->>'level', c.attrs->>'name', c.id), '[]')
FROM chosen c
LEFT JOIN LATERAL (SELECT t.attrs FROM geo.enrich_school_index t WHERE t.id = c.id ORDER BY t.attrs->>'schoolYear' DESC, t.part LIMIT 1) i ON true
LEFT JOIN LATERAL (SELECT t.attrs FROM geo.enrich_school_result t WHERE t.id = c.id ORDER BY t.attrs->>'session' DESC, t.part LIMIT 1) r ON true
