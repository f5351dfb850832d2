-- +goose Up
-- How many rows of a load were left out because they are of places that are not served, such as former communes. They do not count as refused.
ALTER TABLE geo.load ADD COLUMN left_out_count bigint NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE geo.load DROP COLUMN left_out_count;
