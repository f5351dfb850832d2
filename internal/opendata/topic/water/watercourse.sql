-- The nearest watercourse; a named one is preferred when it is at most twice as far as the nearest of all.
-- Index: enrich_watercourse_geom_idx, first for the nearest in degrees, then for the bounding box that is certain to
-- hold the nearest in metres and any named one within twice that. Candidates that only overlap with their own bounding
-- box are not measured. Tens of rows.
WITH here AS MATERIALIZED (SELECT @shape::geometry AS shape, @shape::geometry::geography AS place),
candidate AS MATERIALIZED (
    SELECT CASE WHEN ST_Intersects(t.geom, h.shape) THEN 0 ELSE ST_Distance(t.geom::geography, h.place) END AS metres
    FROM here h CROSS JOIN LATERAL (
        SELECT w.geom FROM geo.enrich_watercourse w ORDER BY w.geom <-> h.shape LIMIT 1) t
), area AS MATERIALIZED (
    -- Ten metres more: the sides of the bounding box and of the water are not geodesics of the ellipsoid.
    SELECT h.shape, h.place, geo.around(h.shape, least(2 * c.metres, @radius) + 10) AS of_names,
        geo.around(h.shape, least(c.metres, @radius) + 10) AS of_all
    FROM here h CROSS JOIN candidate c
), near AS MATERIALIZED (
    SELECT w.part, w.id, w.attrs, d.metres
    FROM area h JOIN geo.enrich_watercourse w ON ST_Intersects(h.of_names, w.geom) AND (w.attrs ? 'name' OR ST_Intersects(h.of_all, w.geom))
    CROSS JOIN LATERAL (
        SELECT CASE WHEN ST_Intersects(w.geom, h.shape) THEN 0 ELSE ST_Distance(w.geom::geography, h.place) END AS metres OFFSET 0) d
    WHERE d.metres <= @radius
), closest AS MATERIALIZED (
    SELECT min(metres) AS metres FROM near
), chosen AS (
    SELECT n.id, n.attrs, n.metres
    FROM near n CROSS JOIN closest c
    WHERE n.metres <= CASE WHEN n.attrs ? 'name' THEN 2 * c.metres ELSE c.metres END
    ORDER BY n.attrs ? 'name' DESC, round(n.metres::numeric, 1), n.attrs ? 'importance' DESC, n.id, n.part
    LIMIT 1
)
SELECT c.attrs->>'name' AS name, c.attrs->>'code' AS code, c.attrs->>'nature' AS nature, round(c.metres)::int AS distance_m,
    (c.attrs->>'importance')::int AS importance, coalesce((c.attrs->>'permanent')::boolean, (
        SELECT (s.attrs->>'permanent')::boolean FROM near s
        WHERE s.attrs->>'course' = c.id AND s.attrs ? 'permanent' ORDER BY s.metres, s.id, s.part LIMIT 1)) AS permanent
FROM chosen c
