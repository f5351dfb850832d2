-- Makes what the rows of the report are made from: the communes with their middle, and shapes to be placed on the map.
-- What an interrupted run left behind goes first.
DROP TABLE IF EXISTS geo.demonstration_place, geo.demonstration_form;
-- Some 35 000 rows, read whole by each layer. reach is how many metres there are from the middle to the border.
CREATE UNLOGGED TABLE geo.demonstration_place (
    n           integer NOT NULL,
    code        text NOT NULL,
    departement text NOT NULL,
    lon         double precision NOT NULL,
    lat         double precision NOT NULL,
    reach       double precision NOT NULL,
    parcels     integer NOT NULL,
    village     integer,               -- number among the communes with parcels; null for the others
    dice        bigint NOT NULL
);
-- A few hundred rows. Shapes reach from -1 to 1, and are cut into pieces as the loader cuts them.
CREATE UNLOGGED TABLE geo.demonstration_form (
    kind  text NOT NULL,
    n     integer NOT NULL,
    piece integer NOT NULL,
    geom  geometry(Geometry, 4326) NOT NULL
);
