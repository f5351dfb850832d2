-- +goose NO TRANSACTION
-- +goose Up
-- An operator who is sent the visible beginning of a leaked key finds its account. A build that was broken off is
-- made anew.
DROP INDEX CONCURRENTLY IF EXISTS account.api_key_prefix;
CREATE INDEX CONCURRENTLY api_key_prefix ON account.api_key (prefix);

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS account.api_key_prefix;
