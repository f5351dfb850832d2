-- +goose Up
-- Schema geo: everything here can be rebuilt from the sources.
CREATE EXTENSION IF NOT EXISTS postgis;
CREATE SCHEMA geo;

-- One row a load. The active one of a source and scope is what is served.
CREATE TABLE geo.load (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source        text NOT NULL,              -- name of the declaration
    scope         text NOT NULL DEFAULT '',   -- what part of the source the load replaced; '' is the whole
    producer      text NOT NULL,
    title         text NOT NULL,
    licence       text NOT NULL,
    vintage       text,                       -- as the producer dates it: a day, a month or a year; null when not known
    files         jsonb NOT NULL,             -- [{"name", "sha256", "bytes"}]
    checksum      text NOT NULL,              -- of the files and the declaration: the same again is nothing to do
    row_count     bigint NOT NULL,
    refused_count bigint NOT NULL,
    refused       jsonb NOT NULL,             -- the first refused rows: [{"file", "line", "reason"}]
    demonstration boolean NOT NULL DEFAULT false,
    started_at    timestamptz NOT NULL,
    loaded_at     timestamptz NOT NULL,
    active        boolean NOT NULL
);
CREATE UNIQUE INDEX load_active ON geo.load (source, scope) WHERE active;

-- Code officiel géographique.
CREATE TABLE geo.region (
    code text PRIMARY KEY,
    name text NOT NULL
);
CREATE TABLE geo.departement (
    code        text PRIMARY KEY,
    name        text NOT NULL,
    region_code text
);
-- type: commune-actuelle, commune-deleguee, commune-associee, arrondissement-municipal. A déléguée may share
-- its parent's code.
CREATE TABLE geo.commune (
    type             text NOT NULL,
    code             text NOT NULL,
    name             text NOT NULL,
    departement_code text,
    region_code      text,
    commune_code     text,    -- the commune it belongs to now; its own code for a commune-actuelle
    population       integer,
    postcodes        text[] NOT NULL DEFAULT '{}',
    former_codes     text[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (type, code)
);

-- Outlines. area_km2 is the geodesic area of the stored polygon.
CREATE TABLE geo.commune_contour (
    code     text PRIMARY KEY,
    edition  text,            -- the producer's edition this one comes from
    geom     geometry(MultiPolygon, 4326) NOT NULL,
    area_km2 double precision NOT NULL
);
CREATE TABLE geo.arrondissement_contour (LIKE geo.commune_contour INCLUDING ALL);
CREATE TABLE geo.departement_contour (LIKE geo.commune_contour INCLUDING ALL);
CREATE TABLE geo.region_contour (LIKE geo.commune_contour INCLUDING ALL);

-- Cadastre. One row a parcel that is served; everything else about it follows from the IDU.
CREATE TABLE geo.parcelle (
    idu        text NOT NULL CHECK (char_length(idu) = 14),
    contenance integer,                      -- m², as recorded; null where the source has none
    feuille    smallint,                     -- null where no source tells
    geom       geometry(MultiPolygon, 4326) NOT NULL,
    CONSTRAINT parcelle_pkey PRIMARY KEY (idu)
);
CREATE INDEX parcelle_geom ON geo.parcelle USING gist (geom);

-- Which vintage of which commune (first five characters of the IDU) is served. A load is served rather than another
-- when it is greater by (complete, vintage, rank).
CREATE TABLE geo.parcelle_commune (
    code        text PRIMARY KEY,
    vintage     date,                            -- null: not known, older than any known one
    rank        smallint NOT NULL DEFAULT 0,     -- which source is served when vintages are equal
    complete    boolean NOT NULL DEFAULT true,   -- false: the load held a part of the commune only
    names_sheet boolean NOT NULL DEFAULT false,  -- the source itself names the sheet of each parcel
    load_id     bigint NOT NULL REFERENCES geo.load
);
CREATE INDEX parcelle_commune_load ON geo.parcelle_commune (load_id);

-- The last known state of parcels that are served no more, to name what took their place.
CREATE TABLE geo.parcelle_passee (
    idu        text PRIMARY KEY CHECK (char_length(idu) = 14),
    vintage    date,
    rank       smallint NOT NULL DEFAULT 0,
    contenance integer,
    geom       geometry(MultiPolygon, 4326) NOT NULL
);
CREATE INDEX parcelle_passee_geom ON geo.parcelle_passee USING gist (geom);

-- Sheets and sections of the cadastral plan, for the sheet of a parcel that does not name its own.
CREATE TABLE geo.feuille (
    id      text PRIMARY KEY CHECK (char_length(id) = 12),  -- commune, prefix, section, sheet number
    geom    geometry(MultiPolygon, 4326) NOT NULL
);
CREATE INDEX feuille_geom ON geo.feuille USING gist (geom);
-- +goose StatementBegin
-- The number of the sheet that a parcel lies on; null when no sheet of its section is loaded or holds it.
CREATE FUNCTION geo.sheet_of(idu text, shape geometry) RETURNS smallint LANGUAGE sql STABLE AS $$
    SELECT right(f.id, 2)::smallint FROM geo.feuille f
    WHERE f.id BETWEEN left(idu, 10) || '00' AND left(idu, 10) || '99'
      AND public.ST_Covers(f.geom, public.ST_PointOnSurface(shape))
    ORDER BY f.id LIMIT 1
$$;
-- +goose StatementEnd
CREATE TABLE geo.section (
    id   text PRIMARY KEY CHECK (char_length(id) = 10),     -- commune, prefix, section
    geom geometry(MultiPolygon, 4326) NOT NULL
);
CREATE INDEX section_geom ON geo.section USING gist (geom);

-- +goose StatementBegin
CREATE FUNCTION geo.tell_load() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('arpent_geo', NEW.source);
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER load_done AFTER INSERT OR UPDATE OF active ON geo.load
    FOR EACH ROW EXECUTE FUNCTION geo.tell_load();

-- +goose Down
DROP SCHEMA geo CASCADE;
