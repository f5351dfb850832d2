-- +goose Up
-- The large sources of the report that have tables of their own: addresses, sales, energy diagnostics, establishments,
-- buildings with fibre. As in the layers, part is the source and scope that a row was loaded from.

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

-- Demandes de valeurs foncières, row by row: a unit and a plot of land of a mutation. The price is that of the whole
-- mutation and stands on each of its rows; a unit stands on as many rows as it has plots, and the reverse.
CREATE TABLE geo.dvf (
    part            text NOT NULL,
    mutation        text NOT NULL,
    line            integer NOT NULL,
    date            date NOT NULL,
    nature          text,
    price           double precision,    -- €
    idu             text NOT NULL,
    type            text,                -- of the unit: Maison, Appartement, Dépendance…; null for land alone
    built           double precision,    -- m²
    rooms           integer,
    lot             text,                -- number of its first lot
    lots            integer,
    culture         text,                -- of the plot
    culture_special text,
    land            double precision,    -- m²
    geom            geometry(Point, 4326),
    PRIMARY KEY (part, mutation, line)
);
CREATE INDEX ON geo.dvf (idu);

-- The sales that can be compared: one house or one flat, with what belongs to it, for a price.
CREATE TABLE geo.dvf_sale (
    part     text NOT NULL,
    mutation text NOT NULL,
    date     date NOT NULL,
    type     text NOT NULL,              -- Maison or Appartement
    price    double precision NOT NULL,  -- €
    built    double precision NOT NULL,  -- m²
    price_m2 double precision NOT NULL,
    rooms    integer,
    land     double precision,           -- m²
    commune  text NOT NULL,              -- first five characters of the IDU
    geom     geometry(Point, 4326) NOT NULL,
    PRIMARY KEY (part, mutation)
);
CREATE INDEX ON geo.dvf_sale USING gist (geom);

-- Which loads hold sales of a commune: the same sales may be loaded with the country and with the département. Those
-- of one load are served, the one whose sales are the newest, then of the greatest rank.
CREATE TABLE geo.dvf_commune (
    part      text NOT NULL,
    commune   text NOT NULL,
    last_day  date NOT NULL,             -- of the whole load
    rank      integer NOT NULL,
    first_day date,                      -- of the whole load
    PRIMARY KEY (part, commune)
);
CREATE INDEX ON geo.dvf_commune (commune);

-- Diagnostics de performance énergétique.
CREATE TABLE geo.dpe (
    part          text NOT NULL,
    id            text NOT NULL,
    replaces      text,                  -- the certificate that this one took the place of
    date          date NOT NULL,
    valid_until   date,
    energy_class  text NOT NULL,
    ghg_class     text,
    consumption   double precision,      -- kWh of primary energy per m² and year
    emissions     double precision,      -- kg CO₂ per m² and year
    building_type text,
    built_year    integer,
    built_period  text,
    living_area   double precision,      -- m²
    address_id    text,                  -- of the Base Adresse Nationale
    geom          geometry(Point, 4326),
    PRIMARY KEY (part, id)
);
CREATE INDEX ON geo.dpe USING gist (geom) WHERE geom IS NOT NULL;
CREATE INDEX ON geo.dpe (address_id) WHERE address_id IS NOT NULL;
CREATE INDEX ON geo.dpe (replaces) WHERE replaces IS NOT NULL;

-- Sirene: active establishments. name and geom are settled from the three files of the producer whenever one of them is
-- loaded; the other columns are those of the stock of establishments.
CREATE TABLE geo.sirene (
    part        text NOT NULL,
    id          text NOT NULL,           -- SIRET
    naf         text,
    head_office boolean,
    employees   text,                    -- code of the range
    public      boolean NOT NULL,        -- false: the holder keeps name and address to himself
    lambert     geometry(Point, 4326),   -- the position that the stock itself tells
    name        text,
    geom        geometry(Point, 4326),
    PRIMARY KEY (part, id)
);
CREATE INDEX ON geo.sirene USING gist (geom) WHERE geom IS NOT NULL;
CREATE INDEX ON geo.sirene (id);

CREATE TABLE geo.sirene_place (
    part    text NOT NULL,
    id      text NOT NULL,               -- SIRET
    quality integer,
    geom    geometry(Point, 4326) NOT NULL,
    PRIMARY KEY (part, id)
);
CREATE INDEX ON geo.sirene_place (id);

-- Legal persons only.
CREATE TABLE geo.sirene_company (
    part text NOT NULL,
    id   text NOT NULL,                  -- SIREN
    name text NOT NULL,
    PRIMARY KEY (part, id)
);
CREATE INDEX ON geo.sirene_company (id);

-- Buildings of the fibre roll-out.
CREATE TABLE geo.fibre (
    part      text NOT NULL,
    id        text NOT NULL,
    state     text NOT NULL,
    operator  text,                      -- code of the operator of the building
    node      text,                      -- point de mutualisation
    node_state text,
    kind      text,                      -- pavillon, immeuble
    completed date,
    geom      geometry(Point, 4326) NOT NULL,
    PRIMARY KEY (part, id)
);
CREATE INDEX ON geo.fibre USING gist (geom);

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
DROP TABLE geo.fibre, geo.sirene_company, geo.sirene_place, geo.sirene, geo.dpe, geo.dvf_commune, geo.dvf_sale, geo.dvf, geo.adresse;
