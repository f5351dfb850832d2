-- The values of the cells whose centres lie in a shape; where there is none, that of the cell under a point of it.
-- A shape is compared with lines through the centres of the cells of a row, which is cheap even for a forest on a fine
-- grid. Grids of several resolutions can lie over each other: cell_m tells them apart. In PL/pgSQL its plan is kept.
CREATE OR REPLACE FUNCTION geo.grid_cells(wanted text, shape geometry)
RETURNS TABLE (cell_m double precision, value real) LANGUAGE plpgsql STABLE ROWS 100 AS $$
#variable_conflict use_column
BEGIN
RETURN QUERY WITH tile AS MATERIALIZED (
    SELECT DISTINCT ON (t.srid, t.cell_x, t.west, t.north) t.srid, t.west, t.north, t.cell_x, t.cell_y, t.cell_m,
        t.width, t.height, t.cells
    FROM geo.enrich_raster t
    WHERE t.layer = grid_cells.wanted AND t.geom && shape
    ORDER BY t.srid, t.cell_x, t.west, t.north, t.part
), place AS MATERIALIZED (
    SELECT s.srid, p.point, CASE WHEN public.ST_IsValid(p.shape) THEN p.shape
        ELSE public.ST_CollectionExtract(public.ST_MakeValid(p.shape), 3) END AS shape
    FROM (SELECT DISTINCT srid FROM tile) s
    CROSS JOIN LATERAL (SELECT public.ST_Transform(shape, s.srid) AS shape,
        public.ST_Transform(public.ST_PointOnSurface(shape), s.srid) AS point) p
), run AS (
    SELECT t.*, public.ST_YMin(d.geom) AS y, public.ST_XMin(d.geom) AS x1, public.ST_XMax(d.geom) AS x2
    FROM tile t JOIN place p USING (srid)
    CROSS JOIN LATERAL (
        SELECT public.ST_Collect(public.ST_SetSRID(public.ST_MakeLine(
            public.ST_MakePoint(t.west, t.north - (r - 0.5) * t.cell_y),
            public.ST_MakePoint(t.west + t.width * t.cell_x, t.north - (r - 0.5) * t.cell_y)), t.srid)) AS lines
        FROM generate_series(
            greatest(1, ceil((t.north - public.ST_YMax(p.shape)) / t.cell_y + 0.5)::integer),
            least(t.height, floor((t.north - public.ST_YMin(p.shape)) / t.cell_y + 0.5)::integer)) r) l
    CROSS JOIN LATERAL public.ST_Dump(public.ST_Intersection(p.shape, l.lines)) d
    WHERE public.ST_Dimension(d.geom) = 1
), inside AS MATERIALIZED (
    SELECT r.cell_m, v.value
    FROM run r
    CROSS JOIN LATERAL (SELECT round((r.north - r.y) / r.cell_y + 0.5)::integer AS nth,
        greatest(1, ceil((r.x1 - r.west) / r.cell_x + 0.5 - 1e-9)::integer) AS first,
        least(r.width, floor((r.x2 - r.west) / r.cell_x + 0.5 + 1e-9)::integer) AS last) i
    CROSS JOIN LATERAL unnest(r.cells[(i.nth - 1) * r.width + i.first : (i.nth - 1) * r.width + i.last]) AS v(value)
    WHERE v.value IS NOT NULL
)
SELECT i.cell_m, i.value FROM inside i
UNION ALL
SELECT u.cell_m, u.value
FROM (SELECT t.cell_m, t.cells[(c.nth - 1) * t.width + c.place] AS value
    FROM tile t JOIN place p USING (srid)
    CROSS JOIN LATERAL (SELECT floor((public.ST_X(p.point) - t.west) / t.cell_x)::integer + 1 AS place,
        floor((t.north - public.ST_Y(p.point)) / t.cell_y)::integer + 1 AS nth) c
    WHERE c.place BETWEEN 1 AND t.width AND c.nth BETWEEN 1 AND t.height) u
WHERE u.value IS NOT NULL AND NOT EXISTS (SELECT FROM inside);
END
$$;

-- The mean of the values of the finest grid that has one in a shape, and the side of its cells.
CREATE OR REPLACE FUNCTION geo.grid_mean(wanted text, shape geometry, OUT mean double precision, OUT cell_m double precision)
LANGUAGE plpgsql STABLE AS $$
BEGIN
    SELECT avg(g.value), g.cell_m INTO mean, cell_m
    FROM geo.grid_cells(wanted, shape) g GROUP BY g.cell_m ORDER BY g.cell_m LIMIT 1;
END
$$;
