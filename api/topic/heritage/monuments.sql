-- Protected monuments within 500 m of the parcel. The outlines of Montpellier are used where the national list is not
-- loaded.
-- Index: enrich_monument_geom_idx. Some tens of rows; hundreds in an old town.
WITH place AS MATERIALIZED (SELECT @shape::geometry AS shape, cos(radians(ST_Y(ST_Centroid(ST_Envelope(@shape::geometry))))) AS k),
here AS MATERIALIZED (SELECT shape, k, geo.flat(shape, k) AS flat FROM place),
near AS (
    SELECT DISTINCT ON (t.id) t.id, t.attrs, d.m
    FROM here h JOIN geo.enrich_monument t ON t.geom && geo.around(h.shape, 500)
        CROSS JOIN LATERAL (SELECT CASE WHEN ST_Dimension(t.geom) = 0 THEN geo.point_metres(t.geom, h.flat, h.k) ELSE geo.metres(t.geom, h.shape) END AS m OFFSET 0) d
    WHERE d.m <= 500 AND NOT ('monument' = ANY (@covered::text[]) AND t.part = 'monuments-montpellier')
    ORDER BY t.id, d.m
)
SELECT coalesce(json_agg(json_build_object('id', id, 'name', attrs->>'name', 'protection', attrs->>'protection',
    'protectedOn', attrs->>'protectedOn', 'commune', attrs->>'commune', 'approximate', (attrs->>'approximate')::boolean,
    'distanceM', round(m)::int) ORDER BY m, id), '[]')
FROM (SELECT * FROM near ORDER BY m, id LIMIT 50) n
