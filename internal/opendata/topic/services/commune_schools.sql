-- The schools of every commune with their figures, lycées first, then collèges: those of the directory whose location lies
-- in the commune, and those of the lists with an index of social position, which name their commune. listed says which.
-- town is the arrondissement of Paris, Lyon or Marseille that a school is in.
-- Whole tables are read, once for each rendering: 60 000 schools, each in one commune by commune_contour_geom, and 45 000
-- rows with an index. arrondissement_contour has 45 rows.
WITH school AS MATERIALIZED (
    (SELECT DISTINCT ON (t.id) c.code::text AS place, a.code::text AS town, true AS listed, t.part, t.id, t.attrs
    FROM geo.enrich_school t JOIN geo.commune_contour c ON ST_Intersects(c.geom, t.geom)
    LEFT JOIN geo.arrondissement_contour a ON ST_Intersects(a.geom, t.geom)
    ORDER BY t.id, c.code, a.code, t.part)
    UNION ALL
    (SELECT DISTINCT ON (t.id) coalesce(k.commune_code, t.commune)::text, k.code::text, false, t.part, t.id, t.attrs
    FROM geo.enrich_school_index t LEFT JOIN geo.commune k ON k.code = t.commune AND k.type = 'arrondissement-municipal'
    WHERE t.commune IS NOT NULL
    ORDER BY t.id, t.attrs->>'schoolYear' DESC, t.part)
), newest_index AS MATERIALIZED (
    SELECT DISTINCT ON (id) id, part, attrs FROM geo.enrich_school_index ORDER BY id, attrs->>'schoolYear' DESC, part
), newest_result AS MATERIALIZED (
    SELECT DISTINCT ON (id) id, part, attrs FROM geo.enrich_school_result ORDER BY id, attrs->>'session' DESC, part
)
SELECT s.place, coalesce(s.town, ''), s.listed, s.part, coalesce(i.part, ''), coalesce(r.part, ''), s.id, s.attrs->>'name', s.attrs->>'level', s.attrs->>'sector',
    (r.attrs->>'successRatePct')::float8, (r.attrs->>'session')::int, (i.attrs->>'ips')::float8, i.attrs->>'schoolYear'
FROM school s LEFT JOIN newest_index i USING (id) LEFT JOIN newest_result r USING (id)
ORDER BY s.place, array_position(ARRAY['lycee', 'college'], s.attrs->>'level') NULLS LAST, s.attrs->>'name', s.id
