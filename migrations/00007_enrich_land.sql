-- +goose Up
-- +goose StatementBegin
-- How much of a shape another one covers, in the square unit of their coordinates. Of the many small ones inside a
-- large parcel the area is known without cutting them. ST_Covers remembers its first argument from one row to the
-- next, ST_CoveredBy would not.
CREATE FUNCTION geo.overlap(shape geometry, other geometry) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT public.ST_Area(CASE WHEN public.ST_Covers(shape, other) THEN other ELSE public.ST_Intersection(other, shape) END)
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION geo.overlap;
