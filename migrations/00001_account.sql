-- +goose Up
-- Schema account: small, transactional, precious.
CREATE SCHEMA account;

CREATE TABLE account.account (
    id                     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    email                  text NOT NULL CHECK (char_length(email) BETWEEN 3 AND 254),
    email_confirmed_at     timestamptz,
    password_hash          text,
    plan                   text NOT NULL DEFAULT 'free' CHECK (plan IN ('free', 'standard', 'pro')),
    -- The operator's own limits for one account; null leaves the plan's.
    per_minute             integer CHECK (per_minute > 0),
    enrichments_per_minute integer CHECK (enrichments_per_minute > 0),
    per_day                integer CHECK (per_day > 0),
    limits_note            text,
    created_at             timestamptz NOT NULL,
    updated_at             timestamptz NOT NULL
);
CREATE UNIQUE INDEX account_email ON account.account (lower(email));

CREATE TABLE account.api_key (
    id                   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id           bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    name                 text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),
    -- An assistant's key has no secret that anybody knows; it is reached through its OAuth grant.
    kind                 text NOT NULL DEFAULT 'integration' CHECK (kind IN ('integration', 'assistant')),
    secret_hash          bytea NOT NULL UNIQUE CHECK (octet_length(secret_hash) = 32),
    prefix               text NOT NULL,
    last4                text NOT NULL,
    refuse_in_query      boolean NOT NULL DEFAULT false,
    created_at           timestamptz NOT NULL,
    expires_at           timestamptz,
    revoked_at           timestamptz,
    last_used_at         timestamptz,
    request_count        bigint NOT NULL DEFAULT 0
);
CREATE INDEX api_key_account ON account.api_key (account_id);

-- Requests counted against the quota of a day of Europe/Paris. Written behind by the meter, at most a second late.
CREATE TABLE account.quota_day (
    account_id bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    day        date NOT NULL,
    used       bigint NOT NULL CHECK (used >= 0),
    PRIMARY KEY (account_id, day)
);

-- Every answer given to a key, whether it counted or not.
CREATE TABLE account.usage (
    account_id   bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    key_id       bigint NOT NULL REFERENCES account.api_key ON DELETE CASCADE,
    operation    text NOT NULL,
    status_class smallint NOT NULL CHECK (status_class BETWEEN 1 AND 5),
    day          date NOT NULL,
    requests     bigint NOT NULL CHECK (requests >= 0),
    counted      bigint NOT NULL CHECK (counted >= 0),
    PRIMARY KEY (account_id, day, key_id, operation, status_class)
);

-- The last batch of counters that each running instance has written. A batch whose acknowledgement was lost is sent
-- again; this row, written by the same transaction, tells that it is there already.
CREATE TABLE account.meter_flush (
    instance text PRIMARY KEY,
    batch    bigint NOT NULL,
    at       timestamptz NOT NULL
);

-- Whoever changes an account or a key, and by whatever means, every instance hears of it.
-- +goose StatementBegin
CREATE FUNCTION account.tell_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed record := coalesce(NEW, OLD);
BEGIN
    IF TG_TABLE_NAME = 'account' THEN
        PERFORM pg_notify('arpent_account', changed.id::text);
    ELSE
        PERFORM pg_notify('arpent_account', changed.account_id::text);
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER account_changed
    AFTER INSERT OR DELETE OR UPDATE OF email, email_confirmed_at, plan, per_minute, enrichments_per_minute, per_day
    ON account.account FOR EACH ROW EXECUTE FUNCTION account.tell_change();
-- Not for last_used_at and request_count, which the meter writes every second.
CREATE TRIGGER api_key_changed
    AFTER INSERT OR DELETE OR UPDATE OF name, secret_hash, refuse_in_query, expires_at, revoked_at
    ON account.api_key FOR EACH ROW EXECUTE FUNCTION account.tell_change();

-- +goose Down
DROP SCHEMA account CASCADE;
