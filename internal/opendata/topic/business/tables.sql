-- Sirene: active establishments. name and geom are computed from the three files of the producer whenever one of them is
-- loaded; the other columns are those of the stock of establishments.
CREATE TABLE geo.sirene (
    part        text NOT NULL,
    id          text NOT NULL,           -- SIRET
    naf         text,
    head_office boolean,
    employees   text,                    -- code of the range
    public      boolean NOT NULL,        -- false: the holder keeps name and address to himself
    lambert     geometry(Point, 4326),   -- the position in the stock itself
    name        text,
    geom        geometry(Point, 4326),
    PRIMARY KEY (part, id)
);
CREATE INDEX sirene_geom_idx ON geo.sirene USING gist (geom) WHERE geom IS NOT NULL;
CREATE INDEX sirene_id_idx ON geo.sirene (id);

CREATE TABLE geo.sirene_place (
    part    text NOT NULL,
    id      text NOT NULL,               -- SIRET
    quality integer,
    geom    geometry(Point, 4326) NOT NULL,
    PRIMARY KEY (part, id)
);
CREATE INDEX sirene_place_id_idx ON geo.sirene_place (id);

-- Legal persons only.
CREATE TABLE geo.sirene_company (
    part text NOT NULL,
    id   text NOT NULL,                  -- SIREN
    name text NOT NULL,
    PRIMARY KEY (part, id)
);
CREATE INDEX sirene_company_id_idx ON geo.sirene_company (id);
