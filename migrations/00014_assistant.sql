-- +goose Up
-- Assistants that people connect to their account: who asks, what was granted, and what is held in exchange for it.
-- Codes, tokens and secrets are kept as hashes of at least 190 random bits: what is here lets nobody in.

-- A program that asks for access. Nobody vouches for it: it says itself what it is called.
CREATE TABLE account.assistant_client (
    id            text PRIMARY KEY CHECK (char_length(id) BETWEEN 1 AND 2000), -- drawn here, or the address of its document
    name          text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),    -- as it may be shown
    uri           text,                        -- its home page, as it says; null: it says none
    auth_method   text NOT NULL CHECK (auth_method IN ('none', 'client_secret_post', 'client_secret_basic')),
    secret_hash   bytea CHECK (octet_length(secret_hash) = 32),
    redirect_uris text[] NOT NULL CHECK (cardinality(redirect_uris) > 0),
    created_at    timestamptz NOT NULL,
    granted_at    timestamptz,                 -- when somebody first let it in; null: it may be forgotten
    network       cidr,                        -- where it registered from, until somebody lets it in
    CHECK (granted_at IS NULL OR network IS NULL),
    CHECK ((auth_method = 'none') = (secret_hash IS NULL))
);
CREATE INDEX assistant_client_waiting ON account.assistant_client (created_at, id) INCLUDE (network) WHERE granted_at IS NULL;

-- One connection of an assistant to an account. Its key carries what it may do, and ends it.
CREATE TABLE account.assistant_grant (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id   bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    client_id    text NOT NULL REFERENCES account.assistant_client,
    key_id       bigint NOT NULL UNIQUE REFERENCES account.api_key ON DELETE CASCADE,
    redirect_uri text NOT NULL,
    scope        text NOT NULL,
    resource     text NOT NULL,                -- what its tokens are good for
    created_at   timestamptz NOT NULL,
    refreshed_at timestamptz,                  -- when tokens were last renewed; null: never yet
    ended_at     timestamptz,
    ended_by     text CHECK (ended_by IN ('client', 'code_replay', 'refresh_replay', 'key', 'unused')),
    CHECK ((ended_at IS NULL) = (ended_by IS NULL))
);
CREATE INDEX assistant_grant_account ON account.assistant_grant (account_id);
CREATE INDEX assistant_grant_client ON account.assistant_grant (client_id);

-- What a person's consent is handed to the assistant as, for a minute, to be exchanged for tokens once.
CREATE TABLE account.assistant_code (
    code_hash    bytea PRIMARY KEY CHECK (octet_length(code_hash) = 32),
    account_id   bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    client_id    text NOT NULL REFERENCES account.assistant_client,
    redirect_uri text NOT NULL,
    challenge    text NOT NULL CHECK (char_length(challenge) = 43), -- SHA-256, base64url
    scope        text NOT NULL,
    resource     text NOT NULL,
    address      inet,                         -- of the browser in which the person agreed
    agent        text,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    used_at      timestamptz,
    grant_id     bigint REFERENCES account.assistant_grant ON DELETE CASCADE -- what came of it
);
CREATE INDEX assistant_code_account ON account.assistant_code (account_id);
CREATE INDEX assistant_code_client ON account.assistant_code (client_id);
CREATE INDEX assistant_code_grant ON account.assistant_code (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX assistant_code_expires ON account.assistant_code (expires_at);

CREATE TABLE account.assistant_token (
    token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
    account_id bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    grant_id   bigint NOT NULL REFERENCES account.assistant_grant ON DELETE CASCADE,
    kind       text NOT NULL CHECK (kind IN ('access', 'refresh')),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at    timestamptz                     -- a refresh token: when it was first exchanged
);
CREATE INDEX assistant_token_account ON account.assistant_token (account_id);
CREATE INDEX assistant_token_grant ON account.assistant_token (grant_id, created_at);
CREATE INDEX assistant_token_expires ON account.assistant_token (expires_at);

-- Where whoever follows a link of a mail goes on to: a path of this server, such as the authorization that a sign-up
-- interrupted. Null: to the account.
ALTER TABLE account.link ADD next text CHECK (octet_length(next) BETWEEN 1 AND 8000);
-- The page that waits for the mail asks, by the browser that signed up, whether the link was followed.
CREATE INDEX link_browser ON account.link (browser_hash) WHERE browser_hash IS NOT NULL;

-- +goose Down
DROP INDEX account.link_browser;
ALTER TABLE account.link DROP next;
DROP TABLE account.assistant_token, account.assistant_code, account.assistant_grant, account.assistant_client;
