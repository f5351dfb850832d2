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
CREATE INDEX dpe_geom_idx ON geo.dpe USING gist (geom) WHERE geom IS NOT NULL;
CREATE INDEX dpe_address_id_idx ON geo.dpe (address_id) WHERE address_id IS NOT NULL;
CREATE INDEX dpe_replaces_idx ON geo.dpe (replaces) WHERE replaces IS NOT NULL;
