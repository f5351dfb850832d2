-- +goose Up
-- The code of the commune that is the préfecture; null until the code officiel géographique is loaded again.
ALTER TABLE geo.region ADD COLUMN chef_lieu text;
ALTER TABLE geo.departement ADD COLUMN chef_lieu text;

-- +goose Down
ALTER TABLE geo.departement DROP COLUMN chef_lieu;
ALTER TABLE geo.region DROP COLUMN chef_lieu;
