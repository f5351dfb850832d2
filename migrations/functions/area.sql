-- How much of a shape another one covers, in percent with one decimal.
CREATE OR REPLACE FUNCTION geo.share(covered double precision, whole double precision) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT least(100, round((100 * covered / nullif(whole, 0))::numeric, 1))
$$;

-- How much of a shape another one covers, in the square unit of their coordinates. Of the many small ones inside a
-- large parcel the area is known without cutting them. ST_Covers remembers its first argument from one row to the
-- next, ST_CoveredBy would not.
CREATE OR REPLACE FUNCTION geo.overlap(shape geometry, other geometry) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT public.ST_Area(CASE WHEN public.ST_Covers(shape, other) THEN other ELSE public.ST_Intersection(other, shape) END)
$$;
