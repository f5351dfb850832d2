-- +goose Up
-- How many rows of a load were left out that are no fault of its files: of places that are not served, such as
-- former communes, or without a position of their own. They do not count as refused.
ALTER TABLE geo.load ADD COLUMN left_out_count bigint NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE geo.load DROP COLUMN left_out_count;
