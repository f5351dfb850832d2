-- The least distance on the ellipsoid of two places that are so far from each other on the sphere, one of them at a
-- latitude: nowhere on the way is the ellipsoid more curved than along the meridian at the end nearest to the equator.
CREATE OR REPLACE FUNCTION geo.least_metres(latitude double precision, metres double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT metres * least(1, 6335439.327 / 6371008.771
        / power(1 - 0.0066943800229 * power(sin(radians(greatest(0, abs(latitude) - metres / 110000))), 2), 1.5))
$$;

-- How far the corners of the rectangle around a shape are from a point of it.
CREATE OR REPLACE FUNCTION geo.reach(shape geometry, point geography) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT max(public.ST_Distance(c.geom::public.geography, point))
    FROM public.ST_DumpPoints(public.ST_Envelope(shape)) c
$$;

-- The distance from a shape to the coast, and the nearest mountain. Both are far from most parcels: at 400 km, a rectangle
-- that surely holds the nearest part holds half of all. These functions read the parts nearest first, by their distance on a
-- sphere from a point of the shape, and stop when the next can only be farther, by the least that a distance on the ellipsoid
-- can be. Comparing two shapes is slow: it is done only where the distance from the point leaves a chance for a nearer one.
-- The planner expects that a declared cursor is not read to its end, and walks the index; for a query in the loop it would
-- sort all parts first.
CREATE OR REPLACE FUNCTION geo.coast_metres(shape geometry) RETURNS double precision LANGUAGE plpgsql STABLE AS $$
DECLARE
    ground geography := shape::geography;
    point geography := ST_PointOnSurface(shape)::geography;
    latitude double precision := ST_Y(point::geometry);
    reach double precision := geo.reach(shape, point);
    best double precision;
    pieces CURSOR FOR SELECT t.geom::geography AS piece, t.geom::geography <-> point AS metres FROM geo.enrich_coast t
        ORDER BY t.geom::geography <-> point;
BEGIN
    FOR near IN pieces LOOP
        EXIT WHEN best = 0 OR geo.least_metres(latitude, near.metres) - reach > best;
        CONTINUE WHEN ST_Distance(near.piece, point) - reach > best;
        best := least(best, ST_Distance(near.piece, ground));
    END LOOP;
    RETURN best;
END
$$;

CREATE OR REPLACE FUNCTION geo.nearest_mountain(shape geometry, OUT metres double precision, OUT massif text)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    ground geography := shape::geography;
    point geography := ST_PointOnSurface(shape)::geography;
    latitude double precision := ST_Y(point::geometry);
    reach double precision := geo.reach(shape, point);
    away double precision;
    pieces CURSOR FOR SELECT t.geom::geography AS piece, t.attrs->>'massif' AS massif, t.geom::geography <-> point AS metres
        FROM geo.enrich_mountain t ORDER BY t.geom::geography <-> point;
BEGIN
    FOR near IN pieces LOOP
        EXIT WHEN geo.least_metres(latitude, near.metres) - reach > metres;
        CONTINUE WHEN ST_Distance(near.piece, point) - reach > metres;
        away := ST_Distance(near.piece, ground);
        IF metres IS NULL OR (away, near.massif) < (metres, massif) THEN
            metres := away;
            massif := near.massif;
        END IF;
    END LOOP;
END
$$;
