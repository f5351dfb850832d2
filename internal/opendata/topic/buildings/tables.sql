-- Référentiel national des bâtiments: a building on a parcel.
CREATE TABLE geo.building (
    part   text NOT NULL,
    idu    text NOT NULL,
    id     text NOT NULL,                  -- of the RNB
    status text NOT NULL,
    share  double precision NOT NULL,      -- of the building on the parcel, at most 1
    area   double precision,               -- m² of the whole building; null for a point
    PRIMARY KEY (part, idu, id)
);
CREATE INDEX building_idu_idx ON geo.building (idu);

-- BD TOPO: the details of a building.
CREATE TABLE geo.building_object (
    part       text NOT NULL,
    id         text NOT NULL,              -- of the RNB
    height     double precision,           -- m
    floors     integer,
    use        text,
    second_use text,
    dwellings  integer,
    built_year integer,
    PRIMARY KEY (part, id)
);
CREATE INDEX building_object_id_idx ON geo.building_object (id);

-- Registre national d'immatriculation des copropriétés.
CREATE TABLE geo.condominium (
    part          text NOT NULL,
    id            text NOT NULL,           -- registration number
    name          text,
    address       text,
    total_lots    integer,
    main_lots     integer,                 -- homes, offices and shops
    housing_lots  integer,
    parking_lots  integer,
    built_period  text,
    updated       date,
    syndic_type   text,
    syndic        text,                    -- of a professional that is a legal person
    syndic_siren  text,
    parcels       text[] NOT NULL,         -- three at most
    parcel_count  integer,                 -- as the register counts them
    PRIMARY KEY (part, id)
);
CREATE INDEX condominium_parcels_idx ON geo.condominium USING gin (parcels);

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
