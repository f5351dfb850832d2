-- +goose Up
-- Sections of the cadastral plan were loaded and never read. A load of them that is under way ends first, or fails. The
-- version before this one goes on serving and loading everything else; it refuses its loads of sections, whose table is
-- not there, and its demonstration, which empties the table.
-- The table goes before the rows of geo.load: in the other order a load would wait for this, and this for the load.
DROP TABLE geo.section;
DELETE FROM geo.load WHERE source = 'sections-etalab';

-- +goose Down
CREATE TABLE geo.section (
    id   text PRIMARY KEY CHECK (char_length(id) = 10),     -- commune, prefix, section
    geom geometry(MultiPolygon, 4326) NOT NULL
);
CREATE INDEX section_geom ON geo.section USING gist (geom);
