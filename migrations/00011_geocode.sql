-- +goose Up
-- What the search for addresses and places reads beside geo.commune and geo.adresse. The search itself runs on a file
-- that is built from these tables.

-- What happened to communes since 1943: INSEE's codes of kinds, types and communes, before and after.
CREATE TABLE geo.commune_movement (
    kind        integer NOT NULL,
    day         date NOT NULL,
    type_before text NOT NULL,           -- COM, COMA, COMD, ARM
    code_before text NOT NULL,
    name_before text NOT NULL,
    type_after  text NOT NULL,
    code_after  text NOT NULL,
    name_after  text NOT NULL,
    PRIMARY KEY (code_before, day, kind, type_before, name_before, type_after, code_after, name_after)
);

-- How post is addressed.
CREATE TABLE geo.postcode (
    commune  text NOT NULL,
    postcode text NOT NULL,
    label    text NOT NULL,              -- in capitals, without accents
    locality text NOT NULL DEFAULT '',   -- the line above, for a part of the commune
    PRIMARY KEY (commune, postcode, label, locality)
);

-- Addresses that communes publish themselves, before they are in the Base Adresse Nationale.
CREATE TABLE geo.adresse_locale (
    part          text NOT NULL,
    id            text NOT NULL,
    place         integer NOT NULL,      -- 1, 2… for the positions of one address
    numero        integer,
    rep           text,
    street        text NOT NULL,
    code_insee    text NOT NULL,
    old_code      text,                  -- the former commune it lies in
    lieu_dit      text,
    position_type text,
    geom          geometry(Point, 4326) NOT NULL,
    PRIMARY KEY (part, id, place)
);

CREATE TABLE geo.lieu_dit (
    part       text NOT NULL,
    id         text NOT NULL,
    name       text NOT NULL,
    postcode   text,
    code_insee text NOT NULL,
    old_code   text,
    geom       geometry(Point, 4326) NOT NULL,
    PRIMARY KEY (part, id)
);

-- Addresses of OpenStreetMap France, under the ODbL: in a table of their own.
CREATE TABLE geo.adresse_bano (
    part       text NOT NULL,
    id         text NOT NULL,
    place      integer NOT NULL,
    numero     integer,
    rep        text,
    street     text NOT NULL,
    postcode   text,
    code_insee text NOT NULL,
    geom       geometry(Point, 4326) NOT NULL,
    PRIMARY KEY (part, id, place)
);

-- +goose Down
DROP TABLE geo.adresse_bano, geo.lieu_dit, geo.adresse_locale, geo.postcode, geo.commune_movement;
