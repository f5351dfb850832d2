-- +goose Up
-- What the report of a parcel is made from. Each layer is a table of its own, geo.enrich_<layer>, in one of two forms:
-- shapes (points, lines, polygons) and facts (rows without a place on the map). The tables of the layers are made from the
-- declarations of their sources, after all migrations.

-- The form of a layer of shapes. attrs holds what the report tells, as the declaration of the source names it.
CREATE TABLE geo.enrich_shape (
    part  text NOT NULL,                 -- source and scope it was loaded from
    id    text NOT NULL,
    piece integer NOT NULL DEFAULT 1,    -- large shapes are cut into pieces
    attrs jsonb NOT NULL,
    geom  geometry(Geometry, 4326) NOT NULL,
    PRIMARY KEY (part, id, piece)
);
CREATE INDEX ON geo.enrich_shape USING gist (geom);

-- The form of a layer of facts. commune is the code of the commune of today (or arrondissement) they are about; null
-- where they are about something else, which id then names.
CREATE TABLE geo.enrich_fact (
    part    text NOT NULL,
    id      text NOT NULL,
    commune text,
    attrs   jsonb NOT NULL,
    PRIMARY KEY (part, id)
);
CREATE INDEX ON geo.enrich_fact (commune);
CREATE INDEX ON geo.enrich_fact (id);

-- Where the layers are loaded. area is the code of a commune, arrondissement or département, or '' for all of France.
CREATE TABLE geo.coverage (
    layer   text NOT NULL,
    area    text NOT NULL,
    load_id bigint NOT NULL REFERENCES geo.load ON DELETE CASCADE,
    PRIMARY KEY (area, layer, load_id)
);
CREATE INDEX coverage_load ON geo.coverage (load_id);

CREATE INDEX commune_code ON geo.commune (code);
CREATE INDEX commune_former_codes ON geo.commune USING gin (former_codes) WITH (fastupdate = off);
-- +goose StatementBegin
-- The code that a commune has today: its own, or that of the commune it was merged into. Arrondissements keep theirs.
-- Null when no commune ever had the code.
CREATE FUNCTION geo.commune_today(asked text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE today text;
BEGIN
    -- A commune of today and a commune déléguée may share a code: the former counts.
    SELECT CASE k.type WHEN 'arrondissement-municipal' THEN k.code ELSE k.commune_code END INTO today
    FROM geo.commune k WHERE k.code = asked
    ORDER BY k.type IN ('commune-actuelle', 'arrondissement-municipal') DESC, k.type LIMIT 1;
    IF today IS NULL THEN
        SELECT k.commune_code INTO today
        FROM geo.commune k WHERE k.former_codes @> ARRAY[asked] ORDER BY k.type, k.code LIMIT 1;
    END IF;
    RETURN today;
END
$$;

-- The rectangle that holds everything within so many metres of a shape, for the spatial index: a degree of latitude is
-- at least 110 574 m; one of longitude 111 319 m times the cosine of the latitude.
CREATE FUNCTION geo.around(shape geometry, metres double precision) RETURNS geometry LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT public.ST_Expand(public.ST_Envelope(shape),
        metres / (111319 * cos(radians(least(89, greatest(abs(public.ST_YMin(shape)), abs(public.ST_YMax(shape))) + metres / 110574)))),
        metres / 110574)
$$;

-- The shortest distance between two shapes on the ellipsoid, in metres; 0 when they touch.
CREATE FUNCTION geo.metres(a geometry, b geometry) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT public.ST_Distance(a::public.geography, b::public.geography)
$$;

-- How much of a shape another one covers, in percent with one decimal.
CREATE FUNCTION geo.share(covered double precision, whole double precision) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT least(100, round((100 * covered / nullif(whole, 0))::numeric, 1))
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION geo.share, geo.metres, geo.around, geo.commune_today;
DROP INDEX geo.commune_code, geo.commune_former_codes;
DROP TABLE geo.coverage, geo.enrich_fact, geo.enrich_shape;
