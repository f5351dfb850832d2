-- How far a parcel is exposed to clay that shrinks and swells: the class of the greatest part of it, and the highest.
-- Index: enrich_rga_geom; a few pieces, some hundred for a large parcel. One row.
WITH here AS MATERIALIZED (
    SELECT p.shape, ST_Area(p.shape::geography) AS m2 FROM (SELECT @shape::geometry AS shape) p
), hits AS (
    SELECT t.part, (t.attrs->>'level')::integer AS level, h.m2 AS whole,
        sum(ST_Area(ST_CollectionExtract(ST_Intersection(t.geom, h.shape), 3)::geography)) AS m2
    FROM here h JOIN geo.enrich_rga t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY 1, 2, 3
), levels AS MATERIALIZED (
    -- The map of France and that of a département may both be loaded.
    SELECT level, whole, max(m2) AS m2 FROM hits WHERE m2 >= 1 OR m2 >= 0.005 * whole GROUP BY 1, 2
)
SELECT (SELECT json_build_object('level', l.level,
        'label', CASE l.level WHEN 1 THEN 'faible' WHEN 2 THEN 'moyen' WHEN 3 THEN 'fort' END,
        'sharePct', geo.share(l.m2, l.whole), 'maxLevel', (SELECT max(level) FROM levels))
    FROM levels l ORDER BY l.m2 DESC, l.level DESC LIMIT 1)
