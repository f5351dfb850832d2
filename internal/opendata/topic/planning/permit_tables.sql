-- Sitadel: granted permits. A permit that creates dwellings and other premises is in two files, under one id.
CREATE TABLE geo.permit (
    part          text NOT NULL,
    id            text NOT NULL,         -- type and number: PC and DP share the numbers, PA and PD have their own
    type          text NOT NULL,         -- PC, DP, PA, PD
    number        text NOT NULL,
    code          text NOT NULL,         -- of the commune, as in the file: that of the day of the permit
    area          text NOT NULL,         -- commune of today, or arrondissement where the number says which
    prefix        text NOT NULL,         -- of the parcels of a commune that was merged since; empty for all others
    state         integer NOT NULL,      -- 2 authorised, 4 cancelled, 5 begun, 6 finished
    date          date,                  -- of the authorisation
    dwellings     integer,
    dwelling_area double precision,      -- m²
    premises_area double precision,      -- m², not of dwellings
    applicant     text,                  -- of legal persons
    siren         text,                  -- of legal persons
    refs          text[] NOT NULL,       -- section and number of parcels, six characters: AB0012
    PRIMARY KEY (part, id)
);
CREATE INDEX permit_id_idx ON geo.permit (id);

-- The parcels that permits name, without the prefix that the files lack.
CREATE TABLE geo.permit_parcel (
    part    text NOT NULL,
    id      text NOT NULL,
    area    text NOT NULL,               -- commune or arrondissement of the parcel
    prefix  text NOT NULL,               -- empty: not known
    section text NOT NULL,
    plan    text NOT NULL,
    fits    integer NOT NULL,            -- parcels of that reference when the permits were loaded; 2 or more where it may be of another
    PRIMARY KEY (part, id, area, prefix, section, plan)
);
CREATE INDEX permit_parcel_reference_idx ON geo.permit_parcel (area, section, plan);

-- How many permits of a commune or arrondissement could not be placed when they were loaded.
CREATE TABLE geo.permit_unplaced (
    part         text NOT NULL,
    area         text NOT NULL,
    ambiguous    integer NOT NULL,       -- permits with a reference that several parcels fit
    gone         integer NOT NULL,       -- permits with a reference that no parcel has any more
    unreferenced integer NOT NULL,       -- permits without a reference
    PRIMARY KEY (part, area)
);
CREATE INDEX permit_unplaced_area_idx ON geo.permit_unplaced (area);
