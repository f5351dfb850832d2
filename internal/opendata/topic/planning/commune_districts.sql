-- Priority districts by commune, and by arrondissement of Paris, Lyon and Marseille: by the communes that the
-- file names for each, else by that of a point of its largest part (commune_contour_geom). The whole table is
-- read, once for each rendering: some 1 600 districts in parts, most of them in one commune.
WITH district AS MATERIALIZED (
    SELECT DISTINCT ON (id) id, attrs->>'name' AS name, attrs->>'communes' AS communes, geom
    FROM geo.enrich_qpv ORDER BY id, ST_Area(geom) DESC
), lies AS MATERIALIZED (
    SELECT id, name, geo.commune_today(trim(code)) AS place
    FROM district, regexp_split_to_table(communes, ',') code
    UNION
    SELECT d.id, d.name, c.code
    FROM district d JOIN geo.commune_contour c ON ST_Intersects(c.geom, ST_PointOnSurface(d.geom))
    WHERE d.communes IS NULL
), listed AS (
    SELECT id, name, array_agg(place ORDER BY place) AS places FROM lies WHERE place IS NOT NULL GROUP BY 1, 2
)
SELECT DISTINCT coalesce(k.city, p.place), l.id, l.name, l.places
FROM listed l, unnest(l.places) p(place)
LEFT JOIN LATERAL (
    SELECT unnest(ARRAY[commune_code, code]) AS city FROM geo.commune
    WHERE code = p.place AND type = 'arrondissement-municipal'
) k ON true
ORDER BY 2, 1
