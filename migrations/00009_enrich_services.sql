-- +goose Up
-- Made tables of layers and their indexes, which are now made from the declarations of their sources. The number stays, so
-- that versions from before can still compare theirs with a database that this one made.

-- +goose Down
