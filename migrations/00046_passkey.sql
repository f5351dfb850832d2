-- +goose Up
-- Passkeys (WebAuthn) by which a person signs in. The version before does not know them: it signs in as it did.
CREATE TABLE account.passkey (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id      bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    credential_id   bytea NOT NULL UNIQUE CHECK (octet_length(credential_id) BETWEEN 1 AND 1023),
    user_handle     bytea NOT NULL CHECK (octet_length(user_handle) = 32), -- random, the same for the passkeys of an account
    public_key      bytea NOT NULL,          -- COSE
    model           uuid,                    -- AAGUID of the authenticator; null: it does not say
    sign_count      bigint NOT NULL CHECK (sign_count BETWEEN 0 AND 4294967295), -- 0: the authenticator does not count
    transports      text[] NOT NULL,         -- how the browser reaches the authenticator
    backup_eligible boolean NOT NULL,        -- it can be copied to other devices of its owner
    backed_up       boolean NOT NULL,        -- it is
    name            text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 80),
    created_at      timestamptz NOT NULL,
    last_used_at    timestamptz              -- null: never yet
);
CREATE INDEX passkey_account ON account.passkey (account_id);

-- Challenges that a passkey has signed: each is accepted once. A row goes when its challenge is too old to be accepted.
CREATE TABLE account.passkey_challenge (
    challenge_hash bytea PRIMARY KEY CHECK (octet_length(challenge_hash) = 32),
    account_id     bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    used_at        timestamptz NOT NULL
);
CREATE INDEX passkey_challenge_account ON account.passkey_challenge (account_id);
CREATE INDEX passkey_challenge_used ON account.passkey_challenge (used_at);

-- +goose Down
DROP TABLE account.passkey_challenge, account.passkey;
