-- The classified installations within 1 000 m of a parcel, the nearest first; some hundred in the densest places.
-- Index: enrich_icpe_geom_idx. At most 50 items. One row.
WITH here AS MATERIALIZED (SELECT @shape::geometry AS shape, @shape::geometry::geography AS place), near AS (
    SELECT DISTINCT ON (t.id) t.id, t.attrs, d.m
    FROM here h JOIN geo.enrich_icpe t ON t.geom && geo.around(h.shape, 1000)
    CROSS JOIN LATERAL (SELECT ST_Distance(t.geom::geography, h.place) AS m OFFSET 0) d
    WHERE d.m <= 1000
    ORDER BY t.id, d.m, t.part
)
SELECT coalesce(json_agg(json_build_object('id', id, 'name', attrs->>'name', 'regime', attrs->>'regime', 'seveso', attrs->>'seveso',
    'status', attrs->>'status', 'active', attrs->'active', 'distanceM', round(m)::integer) ORDER BY m, id), '[]')
FROM (SELECT * FROM near ORDER BY m, id LIMIT 50) n
