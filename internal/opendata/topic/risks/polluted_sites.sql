-- The sites of past activities near a parcel, the nearest first; some hundred in the densest places.
-- Index: enrich_polluted_site_geom_idx.
WITH here AS MATERIALIZED (SELECT @shape::geometry AS shape, @shape::geometry::geography AS place), near AS (
    SELECT DISTINCT ON (t.id) t.id, t.attrs, d.m
    FROM here h JOIN geo.enrich_polluted_site t ON t.geom && geo.around(h.shape, @radius)
    CROSS JOIN LATERAL (SELECT ST_Distance(t.geom::geography, h.place) AS m OFFSET 0) d
    WHERE d.m <= @radius
    ORDER BY t.id, d.m, t.part
)
SELECT id, attrs->>'register' AS register, attrs->>'name' AS name, attrs->>'activity' AS activity,
    attrs->>'activityCodes' AS activity_codes, attrs->>'status' AS status, attrs->>'address' AS address,
    round(m)::integer AS distance_m, count(*) OVER () AS total
FROM near ORDER BY m, id LIMIT @limit
