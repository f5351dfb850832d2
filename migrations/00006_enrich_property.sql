-- +goose Up
-- Addresses, and functions of the report. As in the layers, part is the source and scope that a row was loaded from.

-- Base Adresse Nationale. An address may have several positions: its entrance, its building, its parcel.
CREATE TABLE geo.adresse (
    part          text NOT NULL,
    id            text NOT NULL,
    place         integer NOT NULL,      -- 1, 2… for the positions of one address
    numero        integer,
    rep           text,                  -- bis, ter, a
    street        text,
    postcode      text,
    code_insee    text,
    commune       text,
    old_code      text,                  -- the former commune it lies in
    old_commune   text,
    lieu_dit      text,
    position_type text,                  -- entrée, bâtiment, parcelle, segment…; null where not told
    certified     boolean,               -- by the commune
    parcels       text[],                -- IDUs that the producer connects it with
    geom          geometry(Point, 4326) NOT NULL,
    PRIMARY KEY (part, id, place)
);
CREATE INDEX ON geo.adresse USING gist (geom);
CREATE INDEX ON geo.adresse USING gin (parcels) WHERE parcels IS NOT NULL;

-- +goose StatementBegin
-- A shape in the plane around its latitude, where distances to its neighbours go like those on the ground: degrees of
-- longitude shrink by k, the cosine of the latitude. It takes a tenth of the time to look for the closest corner of a
-- forest there than on the ellipsoid.
CREATE FUNCTION geo.flat(shape geometry, k double precision) RETURNS geometry LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT public.ST_Affine(shape, k, 0, 0, 1, 0, 0)
$$;

-- The distance in metres, on the ellipsoid, from a point to the place of a flat shape that is closest to it.
CREATE FUNCTION geo.point_metres(point geometry, flat geometry, k double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT public.ST_Distance(point::public.geography, geo.flat(public.ST_ClosestPoint(flat, geo.flat(point, k)), 1 / k)::public.geography)
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION geo.point_metres, geo.flat;
DROP TABLE geo.adresse;
