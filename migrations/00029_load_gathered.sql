-- +goose Up
-- The places of a first load whose rows wait in a table beside the one that they are for, until those of all places are there.
CREATE TABLE geo.load_gathered (
    source text NOT NULL,      -- name of the declaration
    scope  text NOT NULL,
    target text NOT NULL,      -- the table that the rows are for
    load   jsonb NOT NULL,     -- what geo.load is to say of it
    PRIMARY KEY (source, scope)
);

-- +goose Down
DROP TABLE geo.load_gathered;
