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
CREATE INDEX dvf_idu_idx ON geo.dvf (idu);

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
CREATE INDEX dvf_sale_geom_idx ON geo.dvf_sale USING gist (geom);

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
CREATE INDEX dvf_commune_commune_idx ON geo.dvf_commune (commune);
