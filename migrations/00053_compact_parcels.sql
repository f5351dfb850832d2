-- +goose Up
-- The outlines of parcels may lie in the file that they are served from alone: arpent parcels compact.
ALTER TABLE geo.parcel_block ALTER shapes DROP NOT NULL;

-- +goose Down
-- Refused while outlines are in the file alone: arpent parcels restore writes them back.
ALTER TABLE geo.parcel_block ALTER shapes SET NOT NULL;
