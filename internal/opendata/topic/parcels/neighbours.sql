-- The parcels that share a border with a parcel, the longest border first, and whether some may be missing (unseen): a
-- commune or arrondissement within @margin metres has parcels that are not loaded. Without a neighbour one row, whose
-- idu is empty. Outlines share what runs along both within 0.1 m, as edges of two sheets do. Both parcels have the same
-- border: it is measured from the pair, in metres around the one with the lower reference, to which the other is snapped.
-- The parcels around it come with the question, from their file: some ten. Indexes: commune_contour_geom, commune_code,
-- parcelle_commune_pkey for one to three communes. arrondissement_contour has 45 rows. Some five rows.
WITH own AS MATERIALIZED (
    SELECT @shape::geometry AS geom
), pair AS MATERIALIZED (
    SELECT p.idu, CASE WHEN p.idu < @idu THEN p.geom ELSE o.geom END AS low,
        CASE WHEN p.idu < @idu THEN o.geom ELSE p.geom END AS high
    FROM own o CROSS JOIN LATERAL (
        SELECT n.idu, ST_GeomFromEWKB(n.outline) AS geom
        FROM unnest(@nearIDUs::text[], @nearOutlines::bytea[]) AS n (idu, outline) OFFSET 0) p
    WHERE ST_DWithin(p.geom, o.geom, 3e-6)
), flat AS MATERIALIZED (
    SELECT p.idu, ST_Affine(ST_Boundary(p.low), m.x, 0, 0, m.y, 0, 0) AS low,
        ST_Affine(ST_Boundary(p.high), m.x, 0, 0, m.y, 0, 0) AS high
    FROM pair p CROSS JOIN LATERAL (SELECT radians(ST_YMin(p.low)) AS north OFFSET 0) a
    CROSS JOIN LATERAL (SELECT 111412.84 * cos(a.north) - 93.5 * cos(3 * a.north) AS x,
        111132.95 - 559.82 * cos(2 * a.north) AS y OFFSET 0) m
), shared AS (
    SELECT f.idu, round(ST_Length(ST_CollectionExtract(ST_Intersection(l.line, h.line), 2))::numeric, 1) AS border_m
    FROM flat f
    CROSS JOIN LATERAL (SELECT ST_ClipByBox2D(f.low, ST_Expand(f.high, 1)::box2d) AS low,
        ST_ClipByBox2D(f.high, ST_Expand(f.low, 1)::box2d) AS high OFFSET 0) c
    CROSS JOIN LATERAL (SELECT ST_Snap(c.low, c.high, 0.1) AS line OFFSET 0) l
    CROSS JOIN LATERAL (SELECT ST_Snap(c.high, l.line, 0.1) AS line OFFSET 0) h
), listed AS (
    SELECT s.idu, s.border_m, count(*) OVER () AS total FROM shared s WHERE s.border_m > 0
    ORDER BY s.border_m DESC, s.idu LIMIT @limit
), around AS (
    SELECT ST_Expand(o.geom, @margin / 70000.0) AS box, o.geom, @margin / 111000.0 / cos(radians(ST_YMin(o.geom))) AS degrees
    FROM own o
), place AS (
    SELECT left(@idu, 5) AS code
    UNION
    SELECT k.code FROM around a JOIN geo.commune_contour k ON k.geom && a.box
    JOIN geo.commune c ON c.code = k.code AND c.type = 'commune-actuelle'
    WHERE ST_DWithin(k.geom, a.geom, a.degrees) AND NOT EXISTS (
        SELECT FROM geo.arrondissement_contour t JOIN geo.commune m ON m.code = t.code
        WHERE m.type = 'arrondissement-municipal' AND m.commune_code = k.code)
    UNION
    SELECT t.code FROM around a JOIN geo.arrondissement_contour t ON t.geom && a.box WHERE ST_DWithin(t.geom, a.geom, a.degrees)
)
SELECT coalesce(l.idu, '') AS idu, coalesce(l.border_m, 0) AS border_m, coalesce(l.total, 0) AS total, u.unseen
FROM (SELECT EXISTS (SELECT FROM place p WHERE NOT EXISTS (
    SELECT FROM geo.parcelle_commune c WHERE c.code = p.code AND c.complete)) AS unseen) u
LEFT JOIN listed l ON true
ORDER BY l.border_m DESC, l.idu
