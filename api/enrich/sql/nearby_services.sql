-- How many facilities of each domain are within 1 km. Those that are clearly within or beyond are told by a line around the
-- parcel, right to 1 m; only those in the 8 m between are measured, which is dear for a parcel of thousands of corners.
-- Index: enrich_facility_geom_idx. Some 300 rows, up to 15 000 in the centre of Paris.
WITH here AS MATERIALIZED (
    SELECT @shape::geometry::geography AS place, ST_Buffer(@shape::geometry::geography, 996, 32)::geometry AS within,
        ST_Buffer(@shape::geometry::geography, 1004, 32)::geometry AS beyond
), near AS (
    SELECT left(t.attrs->>'type', 1) AS domain
    FROM here h JOIN geo.enrich_facility t ON t.geom && h.beyond
    WHERE ST_Intersects(h.beyond, t.geom)
        AND (ST_Intersects(h.within, t.geom) OR ST_Distance(t.geom::geography, h.place) <= 1000)
)
SELECT json_build_object('radiusM', 1000, 'counts', json_build_object(
        'services', count(*) FILTER (WHERE domain = 'A'), 'shops', count(*) FILTER (WHERE domain = 'B'),
        'education', count(*) FILTER (WHERE domain = 'C'), 'health', count(*) FILTER (WHERE domain = 'D'),
        'transport', count(*) FILTER (WHERE domain = 'E'), 'sports', count(*) FILTER (WHERE domain = 'F'),
        'tourism', count(*) FILTER (WHERE domain = 'G')),
    'total', count(*))
FROM near
