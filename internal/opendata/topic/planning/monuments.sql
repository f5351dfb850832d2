-- Protected monuments near the parcel, the nearest first.
-- Index: enrich_monument_geom_idx. Some tens of rows; hundreds in an old town.
WITH place AS MATERIALIZED (SELECT @shape::geometry AS shape, cos(radians(ST_Y(ST_Centroid(ST_Envelope(@shape::geometry))))) AS k),
here AS MATERIALIZED (SELECT shape, k, geo.flat(shape, k) AS flat FROM place),
near AS (
    SELECT DISTINCT ON (t.id) t.id, t.attrs, d.m
    FROM here h JOIN geo.enrich_monument t ON t.geom && geo.around(h.shape, @radius)
        CROSS JOIN LATERAL (SELECT CASE WHEN ST_Dimension(t.geom) = 0 THEN geo.point_metres(t.geom, h.flat, h.k) ELSE geo.metres(t.geom, h.shape) END AS m OFFSET 0) d
    WHERE d.m <= @radius
    ORDER BY t.id, d.m
)
SELECT id, attrs->>'name' AS name, attrs->>'protection' AS protection, attrs->>'protectedOn' AS protected_on, attrs->>'commune' AS commune,
    (attrs->>'approximate')::boolean AS approximate, round(m)::int AS distance_m, count(*) OVER () AS total
FROM near ORDER BY m, id LIMIT @limit
