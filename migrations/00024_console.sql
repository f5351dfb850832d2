-- +goose Up
-- What an account asks with the console of the documentation is counted under a row of its own among the keys. It is no key: it is
-- revoked from the beginning, and its hash is of no secret that anybody has.
ALTER TABLE account.api_key
    DROP CONSTRAINT api_key_kind_check,
    ADD CONSTRAINT api_key_kind_check CHECK (kind IN ('integration', 'assistant', 'console')),
    ADD CONSTRAINT api_key_console_opens_nothing CHECK (kind <> 'console' OR revoked_at IS NOT NULL);
CREATE UNIQUE INDEX api_key_console ON account.api_key (account_id) WHERE kind = 'console';

-- +goose Down
DROP INDEX account.api_key_console;
DELETE FROM account.api_key WHERE kind = 'console';
ALTER TABLE account.api_key
    DROP CONSTRAINT api_key_console_opens_nothing,
    DROP CONSTRAINT api_key_kind_check,
    ADD CONSTRAINT api_key_kind_check CHECK (kind IN ('integration', 'assistant'));
