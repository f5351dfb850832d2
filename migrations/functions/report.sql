-- Functions of the report's statements. They are inlined: a statement is planned as if their text stood in it.

-- The parts of a polygon, which an index is asked for one by one, and the area of the whole in square degrees and in
-- square metres. OFFSET 0: the polygon is measured once, not for each part of it.
CREATE OR REPLACE FUNCTION geo.subdivide(outline geometry)
RETURNS TABLE (shape geometry, whole double precision, metres double precision) LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT p.shape, w.whole, w.metres
    FROM (SELECT public.ST_Area(outline) AS whole, public.ST_Area(outline::public.geography) AS metres OFFSET 0) w,
        public.ST_Subdivide(outline, 128) p(shape)
$$;

-- Whether an overlap with a parcel comes from lines that are not drawn alike: it is under 0.5 % of the parcel and under
-- 1 m², or the parcel has no area. covered and whole are areas in square degrees, metres is that of the parcel in square
-- metres.
CREATE OR REPLACE FUNCTION geo.is_sliver(covered double precision, whole double precision, metres double precision)
RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT covered < 0.005 * whole AND covered * metres < whole OR whole = 0
$$;

-- The part of a layer that holds the newest load for a place, of those that cover it: of France, the département or the
-- commune.
CREATE OR REPLACE FUNCTION geo.newest_part(wanted text, departement text, commune text)
RETURNS TABLE (part text) LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT concat_ws('/', l.source, nullif(l.scope, ''))
    FROM geo.coverage c JOIN geo.load l ON l.id = c.load_id AND l.active
    WHERE c.layer = wanted AND c.area IN ('', departement, commune)
    ORDER BY l.vintage DESC NULLS LAST, l.id DESC LIMIT 1
$$;
