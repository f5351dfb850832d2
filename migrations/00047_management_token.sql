-- +goose Up
-- Tokens by which a program reads the usage, the keys and the members of an account, never the data of the API. A row
-- is deleted when its token is revoked. A token works only while the person who made it may manage tokens: the version
-- before, which ends memberships without this table, leaves none in force.
CREATE TABLE account.management_token (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id   bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    created_by   bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    name         text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),
    scopes       text[] NOT NULL CHECK (cardinality(scopes) > 0
        AND scopes <@ ARRAY['usage:read', 'keys:read', 'organisation:read']),
    token_hash   bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    last4        text NOT NULL CHECK (char_length(last4) = 4),
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    last_used_at timestamptz, -- null: never
    -- Until when the requests of the token, spread evenly, fill its limit of requests a minute.
    busy_until   timestamptz
);
CREATE INDEX management_token_account ON account.management_token (account_id);
CREATE INDEX management_token_creator ON account.management_token (created_by);

-- +goose Down
DROP TABLE account.management_token;
