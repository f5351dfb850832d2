-- The tables that migrations made before the loader made them from the declarations, as version 20 had them.

DO $$
DECLARE layer text;
BEGIN
    FOREACH layer IN ARRAY ARRAY[
        'ppr_zone', 'tri', 'flood_marker', 'rga', 'icpe', 'polluted_site', 'cavity', 'ground_movement',
        'qpv', 'plan_zone', 'plan_prescription', 'easement', 'aerodrome_easement',
        'rpg_bio', 'aoc', 'land_cover', 'forest', 'vegetation', 'protected_area', 'aerial_survey',
        'watercourse', 'water_body', 'river_station', 'coast', 'mountain',
        'monument', 'road_traffic', 'road', 'charge_point', 'mobile_mast', 'railway_station', 'airport',
        'school', 'health', 'facility', 'marketplace', 'osm_shop']
    LOOP
        EXECUTE format('CREATE TABLE geo.%I (LIKE geo.enrich_shape INCLUDING ALL)', 'enrich_' || layer);
    END LOOP;
    FOREACH layer IN ARRAY ARRAY[
        'catnat', 'commune_risk', 'risk_procedure', 'radon', 'seismic_zone', 'travel_time', 'easement_act',
        'easement_generator', 'high_speed_station', 'school_index', 'school_result', 'tap_water']
    LOOP
        EXECUTE format('CREATE TABLE geo.%I (LIKE geo.enrich_fact INCLUDING ALL)', 'enrich_' || layer);
    END LOOP;
END
$$;

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

-- Registre parcellaire graphique : what farmers declare to grow, one row a piece of a declared parcel. id is the number
-- of the parcel in its file: the producer's identifiers repeat.
CREATE TABLE geo.rpg (
    part       text NOT NULL,               -- source and scope it was loaded from
    id         bigint NOT NULL,
    piece      integer NOT NULL DEFAULT 1,
    crop       text NOT NULL,               -- code of the crop: PPH
    crop_group smallint,                    -- 1 to 28
    area_ha    real,                        -- of the whole declared parcel, as declared
    year       smallint NOT NULL,
    geom       geometry(Geometry, 4326) NOT NULL,
    PRIMARY KEY (part, id, piece)
);
CREATE INDEX rpg_geom ON geo.rpg USING gist (geom);

-- Grids (elevation, pH of the soil, land cover) as tiles of at most 64 by 64 cells, in the projection they come in.
CREATE TABLE geo.enrich_raster (
    part   text NOT NULL,               -- source and scope it was loaded from
    id     text NOT NULL,               -- of the tile: its north-western corner
    layer  text NOT NULL,
    srid   integer NOT NULL,
    west   double precision NOT NULL,   -- edges and sizes in the units of srid
    north  double precision NOT NULL,
    cell_x double precision NOT NULL,
    cell_y double precision NOT NULL,
    cell_m double precision NOT NULL,   -- side of a cell in metres, for choosing the finest grid
    width  integer NOT NULL,
    height integer NOT NULL,
    cells  real[] NOT NULL,             -- row by row from the north-west; null: no value
    geom   geometry(Geometry, 4326) NOT NULL,
    PRIMARY KEY (part, id),
    CHECK (cardinality(cells) = width * height)
);
CREATE INDEX ON geo.enrich_raster USING gist (geom);

CREATE INDEX enrich_coast_sphere ON geo.enrich_coast USING gist ((geom::geography));
CREATE INDEX enrich_mountain_sphere ON geo.enrich_mountain USING gist ((geom::geography));

-- Tap water: samples and the few results that the report tells. A sample taken upstream speaks for several networks.
CREATE TABLE geo.tap_sample (
    part                      text NOT NULL,
    id                        text NOT NULL,
    network                   text NOT NULL,
    sampled                   date NOT NULL,
    hour                      text,
    conclusion                text,
    bacteriological           text,     -- C, N, S or D
    chemical                  text,
    bacteriological_reference text,
    chemical_reference        text,
    PRIMARY KEY (part, id, network)
);
CREATE INDEX ON geo.tap_sample (network, sampled);
CREATE INDEX ON geo.tap_sample (sampled);

CREATE TABLE geo.tap_result (
    part      text NOT NULL,
    sample    text NOT NULL,
    parameter text NOT NULL,
    value     double precision,         -- null: less than the laboratory can measure, which is below
    below     double precision,
    PRIMARY KEY (part, sample, parameter)
);
CREATE INDEX ON geo.tap_result (sample);

-- Turnout in one round of an election. election is the ministry's name of it, with its round: 2017_pres_t1.
CREATE TABLE geo.election_turnout (
    part       text NOT NULL,
    level      text NOT NULL,
    code       text NOT NULL,
    election   text NOT NULL,
    registered integer,
    voters     integer,
    blank      integer,                  -- null before 2014, when they were counted with the spoiled ones
    spoiled    integer,
    expressed  integer,
    PRIMARY KEY (part, level, code, election)
);

-- Votes for a candidate or a list.
CREATE TABLE geo.election_result (
    part     text NOT NULL,
    level    text NOT NULL,
    code     text NOT NULL,
    election text NOT NULL,
    place    integer NOT NULL,           -- order in the file, from 1
    name     text,                       -- last name of a candidate
    given    text,                       -- first name
    list     text,
    nuance   text,                       -- political label given by the ministry
    votes    integer NOT NULL,
    seats    integer,
    elected  boolean,
    PRIMARY KEY (part, level, code, election, place)
);

-- The mayors in office. Dates of birth are never kept: the year is.
CREATE TABLE geo.mayor (
    commune        text PRIMARY KEY,
    last_name      text NOT NULL,
    first_name     text NOT NULL,
    gender         text,
    birth_year     integer,
    occupation     text,
    mandate_start  date,
    function_start date
);

-- Layers that stand in for another one where that is not loaded (a list of hospitals of some départements, the charge
-- points of one network, an older list of stations); and what is read of files that are joined when the last of them is
-- loaded: the structures of FINESS, whose places stand in other lines, and the stations and emitters of ANFR, whose places
-- are those of their support.
DO $$
DECLARE layer text;
BEGIN
    FOREACH layer IN ARRAY ARRAY['hospital_extract', 'charge_network', 'station_list', 'mobile_support'] LOOP
        EXECUTE format('CREATE TABLE geo.%I (LIKE geo.enrich_shape INCLUDING ALL)', 'enrich_' || layer);
    END LOOP;
    FOREACH layer IN ARRAY ARRAY['health_structure', 'mobile_operator', 'mobile_station', 'mobile_emitter'] LOOP
        EXECUTE format('CREATE TABLE geo.%I (LIKE geo.enrich_fact INCLUDING ALL)', 'enrich_' || layer);
    END LOOP;
END
$$;

-- The nearest of a kind is found by walking an index outwards: it must hold that kind only, or the walk would pass
-- thousands of others.
CREATE INDEX enrich_health_hospital ON geo.enrich_health USING gist (geom) WHERE attrs->>'category' IN ('101', '106', '292', '355');
CREATE INDEX enrich_health_msp ON geo.enrich_health USING gist (geom) WHERE attrs->>'category' = '603';
CREATE INDEX enrich_health_pharmacy ON geo.enrich_health USING gist (geom) WHERE attrs->>'category' = '620';
CREATE INDEX enrich_facility_hypermarket ON geo.enrich_facility USING gist (geom) WHERE attrs->>'type' IN ('B101', 'B104');
CREATE INDEX enrich_facility_supermarket ON geo.enrich_facility USING gist (geom) WHERE attrs->>'type' IN ('B102', 'B105');
CREATE INDEX enrich_facility_convenience ON geo.enrich_facility USING gist (geom) WHERE attrs->>'type' IN ('B201', 'B202');
