-- +goose Up
-- +goose StatementBegin
-- The values of the cells whose centres lie in a shape; where there is none, that of the cell under a point of it.
-- A shape is compared with lines through the centres of the cells of a row, which is cheap even for a forest on a fine
-- grid. Grids of several resolutions can lie over each other: cell_m tells them apart. In PL/pgSQL its plan is kept.
CREATE FUNCTION geo.grid_cells(wanted text, shape geometry)
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
CREATE FUNCTION geo.grid_mean(wanted text, shape geometry, OUT mean double precision, OUT cell_m double precision)
LANGUAGE plpgsql STABLE AS $$
BEGIN
    SELECT avg(g.value), g.cell_m INTO mean, cell_m
    FROM geo.grid_cells(wanted, shape) g GROUP BY g.cell_m ORDER BY g.cell_m LIMIT 1;
END
$$;

-- The coast and the mountains are far from most parcels: at 400 km, a rectangle that surely holds the nearest piece
-- holds half of all. These read the pieces nearest first, by their distance on a sphere from a point of the shape, and
-- stop when the next can only be farther, by the least that a distance on the ellipsoid can be. Comparing
-- two shapes takes long: it is done only where the distance from the point leaves room for a nearer one.

-- The least distance on the ellipsoid of two places that are so far from each other on the sphere, one of them at a
-- latitude: nowhere on the way is the ellipsoid more curved than along the meridian at the end nearest to the equator.
CREATE FUNCTION geo.least_metres(latitude double precision, metres double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT metres * least(1, 6335439.327 / 6371008.771
        / power(1 - 0.0066943800229 * power(sin(radians(greatest(0, abs(latitude) - metres / 110000))), 2), 1.5))
$$;

-- How far the corners of the rectangle around a shape are from a point of it.
CREATE FUNCTION geo.reach(shape geometry, point geography) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT max(public.ST_Distance(c.geom::public.geography, point))
    FROM public.ST_DumpPoints(public.ST_Envelope(shape)) c
$$;

CREATE FUNCTION geo.coast_metres(shape geometry) RETURNS double precision LANGUAGE plpgsql STABLE AS $$
DECLARE
    point geography := ST_PointOnSurface(shape)::geography;
    latitude double precision := ST_Y(point::geometry);
    reach double precision := geo.reach(shape, point);
    best double precision;
    next record;
BEGIN
    FOR next IN SELECT t.geom, t.geom::geography <-> point AS metres FROM geo.enrich_coast t
        ORDER BY t.geom::geography <-> point
    LOOP
        EXIT WHEN best = 0 OR geo.least_metres(latitude, next.metres) - reach > best;
        CONTINUE WHEN geo.metres(next.geom, point::geometry) - reach > best;
        best := least(best, geo.metres(next.geom, shape));
    END LOOP;
    RETURN best;
END
$$;

CREATE FUNCTION geo.nearest_mountain(shape geometry, OUT metres double precision, OUT massif text)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    point geography := ST_PointOnSurface(shape)::geography;
    latitude double precision := ST_Y(point::geometry);
    reach double precision := geo.reach(shape, point);
    next record;
BEGIN
    FOR next IN SELECT t.geom, t.attrs->>'massif' AS massif, t.geom::geography <-> point AS metres FROM geo.enrich_mountain t
        ORDER BY t.geom::geography <-> point
    LOOP
        EXIT WHEN geo.least_metres(latitude, next.metres) - reach > metres;
        CONTINUE WHEN geo.metres(next.geom, point::geometry) - reach > metres;
        next.metres := geo.metres(next.geom, shape);
        IF metres IS NULL OR (next.metres, next.massif) < (metres, massif) THEN
            metres := next.metres;
            massif := next.massif;
        END IF;
    END LOOP;
END
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION geo.nearest_mountain, geo.coast_metres, geo.reach, geo.least_metres;
DROP FUNCTION geo.grid_mean, geo.grid_cells;
