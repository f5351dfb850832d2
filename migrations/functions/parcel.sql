-- The number of the sheet that a parcel lies on; null when no sheet of its section is loaded or holds it.
CREATE OR REPLACE FUNCTION geo.sheet_of(idu text, shape geometry) RETURNS smallint LANGUAGE sql STABLE AS $$
    SELECT right(f.id, 2)::smallint FROM geo.feuille f
    WHERE f.id BETWEEN left(idu, 10) || '00' AND left(idu, 10) || '99'
      AND public.ST_Covers(f.geom, public.ST_PointOnSurface(shape))
    ORDER BY f.id LIMIT 1
$$;
