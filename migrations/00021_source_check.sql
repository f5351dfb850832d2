-- +goose Up
-- What a load had values of, so that a later one that lost some is noticed: names of staged columns, and measure:NAME of
-- figures. Null: it was loaded before this was recorded.
ALTER TABLE geo.load ADD COLUMN filled text[];

-- When the producer of a source was last asked for its files, and why the newest of them are not served. A row a source.
CREATE TABLE geo.source_check (
    source     text PRIMARY KEY,     -- name of the declaration
    checked_at timestamptz NOT NULL,
    problem    text                  -- null: the newest files are served
);

-- +goose Down
DROP TABLE geo.source_check;
ALTER TABLE geo.load DROP COLUMN filled;
