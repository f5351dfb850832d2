-- +goose Up
-- Accounts that people make and keep themselves.
ALTER TABLE account.account
    ADD language            text NOT NULL DEFAULT 'fr' CHECK (language IN ('fr', 'en')),
    ADD quota_mails         boolean NOT NULL DEFAULT true,  -- tell by mail at 80 % and 100 % of a day
    ADD password_changed_at timestamptz,
    -- Second factor: the TOTP secret, sealed with the server's own secret; null until it is switched on.
    ADD totp_sealed         bytea,
    ADD totp_enabled_at     timestamptz,
    ADD totp_last_step      bigint;                         -- a code is accepted once

-- A code is good once. Twelve random letters and digits: a plain hash cannot be searched backwards.
CREATE TABLE account.recovery_code (
    account_id bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    code_hash  bytea NOT NULL CHECK (octet_length(code_hash) = 32),
    used_at    timestamptz,
    PRIMARY KEY (account_id, code_hash)
);

-- Somebody signed in on some device. The browser holds the token; here is its hash.
CREATE TABLE account.session (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id       bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    token_hash       bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    method           text NOT NULL,          -- password, or the name of the provider
    authenticated_at timestamptz NOT NULL,   -- when the person last proved who they are
    created_at       timestamptz NOT NULL,
    last_used_at     timestamptz NOT NULL,
    expires_at       timestamptz NOT NULL,
    address          inet,
    agent            text
);
CREATE INDEX session_account ON account.session (account_id);
CREATE INDEX session_expires ON account.session (expires_at);

-- Single-use links sent by mail. The token in the link is computed from this row and the server's own secret, so that
-- nothing here, nor in a job that has still to send it, lets anybody in.
CREATE TABLE account.link (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id   bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    purpose      text NOT NULL CHECK (purpose IN ('confirm', 'reset', 'email')),
    email        text NOT NULL,              -- the address it was sent to
    browser_hash bytea,                      -- of the browser that asked for it; that one is signed in by it
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    used_at      timestamptz
);
CREATE INDEX link_account ON account.link (account_id, purpose);
CREATE INDEX link_expires ON account.link (expires_at);

-- Who somebody is at a provider. The address is what the provider said last, to be shown; it identifies nobody.
CREATE TABLE account.identity (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id   bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    provider     text NOT NULL,
    subject      text NOT NULL,
    email        text,
    created_at   timestamptz NOT NULL,
    last_used_at timestamptz,
    UNIQUE (provider, subject)
);
CREATE INDEX identity_account ON account.identity (account_id);

-- Failed attempts, by what they were made against: a hash of an account's address, of a client's network, of both.
CREATE TABLE account.throttle (
    subject       bytea PRIMARY KEY CHECK (octet_length(subject) = 32),
    failures      integer NOT NULL,
    last_at       timestamptz NOT NULL,
    blocked_until timestamptz
);
CREATE INDEX throttle_last ON account.throttle (last_at);

-- Who did what, and when. Rows are added and never changed; of a deleted account what tells of a person is blanked.
CREATE TABLE account.audit (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id bigint NOT NULL,              -- no reference: the record outlives the account
    at         timestamptz NOT NULL,
    actor      text NOT NULL CHECK (actor IN ('account', 'operator', 'system')),
    action     text NOT NULL,
    detail     jsonb NOT NULL DEFAULT '{}',
    address    inet,
    agent      text
);
CREATE INDEX audit_account ON account.audit (account_id, id DESC);
CREATE INDEX audit_at ON account.audit (at);
-- +goose StatementBegin
CREATE FUNCTION account.keep_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.detail = '{}' AND NEW.address IS NULL AND NEW.agent IS NULL
        AND (NEW.id, NEW.account_id, NEW.at, NEW.actor, NEW.action) = (OLD.id, OLD.account_id, OLD.at, OLD.actor, OLD.action) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the audit record is append-only';
END
$$;
-- +goose StatementEnd
CREATE TRIGGER audit_is_kept BEFORE UPDATE OR DELETE ON account.audit
    FOR EACH ROW EXECUTE FUNCTION account.keep_audit();
CREATE TRIGGER audit_is_kept_whole BEFORE TRUNCATE ON account.audit
    FOR EACH STATEMENT EXECUTE FUNCTION account.keep_audit();

-- Keys: what their owner may restrict, and which one took the place of which.
ALTER TABLE account.api_key
    ADD paused_at        timestamptz,
    ADD per_day          integer CHECK (per_day > 0),  -- the owner's own cap for this key; null: none
    ADD networks         cidr[] CHECK (cardinality(networks) BETWEEN 1 AND 50), -- only from there; null: from anywhere
    ADD replaces         bigint REFERENCES account.api_key ON DELETE SET NULL,  -- the key it was rotated from
    ADD expiry_warned_at timestamptz;
CREATE INDEX api_key_expires ON account.api_key (expires_at) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;
DROP TRIGGER api_key_changed ON account.api_key;
CREATE TRIGGER api_key_changed
    AFTER INSERT OR DELETE OR UPDATE OF name, secret_hash, refuse_in_query, expires_at, revoked_at, paused_at, per_day, networks
    ON account.api_key FOR EACH ROW EXECUTE FUNCTION account.tell_change();

-- Requests refused for a limit, gathered: one row a key, limit and minute in which it was met.
CREATE TABLE account.refusal (
    account_id bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    key_id     bigint NOT NULL REFERENCES account.api_key ON DELETE CASCADE,
    met        text NOT NULL CHECK (met IN ('minute', 'enrichments', 'day', 'key')),
    "limit"    integer NOT NULL,
    minute     timestamptz NOT NULL,
    first_at   timestamptz NOT NULL,
    last_at    timestamptz NOT NULL,
    requests   bigint NOT NULL CHECK (requests > 0),
    PRIMARY KEY (account_id, minute, key_id, met, "limit")
);

-- Who uses the quota of one day: asked twice a minute, over all accounts.
CREATE INDEX quota_day_day ON account.quota_day (day);

-- Which warnings about a day's quota were sent, so that each is sent once.
CREATE TABLE account.quota_notice (
    account_id bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    day        date NOT NULL,
    percent    smallint NOT NULL CHECK (percent IN (80, 100)),
    sent_at    timestamptz NOT NULL,
    PRIMARY KEY (account_id, day, percent)
);

-- Background work (River keeps its own tables there).
CREATE SCHEMA job;

-- +goose Down
DROP SCHEMA job CASCADE;
DROP INDEX account.quota_day_day;
DROP TABLE account.quota_notice, account.refusal, account.audit, account.throttle, account.identity, account.link,
    account.session, account.recovery_code;
DROP FUNCTION account.keep_audit();
DROP TRIGGER api_key_changed ON account.api_key;
CREATE TRIGGER api_key_changed
    AFTER INSERT OR DELETE OR UPDATE OF name, secret_hash, refuse_in_query, expires_at, revoked_at
    ON account.api_key FOR EACH ROW EXECUTE FUNCTION account.tell_change();
ALTER TABLE account.api_key DROP paused_at, DROP per_day, DROP networks, DROP replaces, DROP expiry_warned_at;
ALTER TABLE account.account DROP language, DROP quota_mails, DROP password_changed_at, DROP totp_sealed,
    DROP totp_enabled_at, DROP totp_last_step;
