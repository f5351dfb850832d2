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
CREATE INDEX enrich_raster_geom_idx ON geo.enrich_raster USING gist (geom);

-- Tap water: samples and the few results that the report reads. A sample taken upstream speaks for several networks.
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
CREATE INDEX tap_sample_network_sampled_idx ON geo.tap_sample (network, sampled);
CREATE INDEX tap_sample_sampled_idx ON geo.tap_sample (sampled);

CREATE TABLE geo.tap_result (
    part      text NOT NULL,
    sample    text NOT NULL,
    parameter text NOT NULL,
    value     double precision,         -- null: less than the laboratory can measure, which is below
    below     double precision,
    PRIMARY KEY (part, sample, parameter)
);
CREATE INDEX tap_result_sample_idx ON geo.tap_result (sample);
