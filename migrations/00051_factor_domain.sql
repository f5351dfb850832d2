-- +goose Up
-- Two rules of an organisation: its members need a second factor from a date on, and people with an address of a domain
-- that the organisation has proven can join it.

-- Keys, tokens and sessions would queue behind a change that waits for a backup: the tables are changed in a pause of their readers.
-- +goose StatementBegin
DO $$
BEGIN
    SET LOCAL lock_timeout = '20ms';
    LOOP
        BEGIN
            LOCK TABLE account.account, account.session, account.member, account.management_token IN ACCESS EXCLUSIVE MODE;
            EXIT;
        EXCEPTION WHEN lock_not_available THEN
            PERFORM pg_sleep(0.2);
        END;
    END LOOP;
    RESET lock_timeout;
END
$$;
-- +goose StatementEnd
-- Of an organisation: from when its members need a second factor; null: they need none. The version before does not ask.
ALTER TABLE account.account ADD member_factor_from timestamptz;
CREATE INDEX account_member_factor ON account.account (member_factor_from) WHERE member_factor_from IS NOT NULL;
-- How many mails about it the member got: 2 includes the one shortly before that time.
ALTER TABLE account.member ADD factor_mails smallint NOT NULL DEFAULT 0;
-- When the member got the last one; null: none yet. There is one a day at most, however often the time is changed.
ALTER TABLE account.member ADD factor_mailed_at timestamptz;
-- When a passkey was last added or used in the session; null: not since its sign-in.
ALTER TABLE account.session ADD passkey_at timestamptz;

-- Domains of an organisation. The token is in a TXT record of the domain, which anyone can read.
CREATE TABLE account.domain (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id    bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    name          text NOT NULL CHECK (char_length(name) BETWEEN 3 AND 253 AND name = lower(name)), -- in ASCII
    token         text NOT NULL,
    created_at    timestamptz NOT NULL,
    proven_at     timestamptz, -- since when the record proves it; null: it does not
    seen_at       timestamptz, -- when the record was last there; null: never
    checked_at    timestamptz, -- when it was last looked up; null: never
    join_role     text CHECK (join_role IN ('reader', 'developer')), -- of people who join; null: none can
    join_approval boolean NOT NULL DEFAULT true, -- a member has to approve them
    UNIQUE (account_id, name)
);
-- A domain counts for one organisation at a time.
CREATE UNIQUE INDEX domain_proven ON account.domain (name) WHERE proven_at IS NOT NULL;

-- People who asked to join an organisation, and those who cannot ask: they were declined or removed.
CREATE TABLE account.join_request (
    account_id  bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    person_id   bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    created_at  timestamptz NOT NULL,
    declined_at timestamptz, -- null: it waits for an answer
    PRIMARY KEY (account_id, person_id)
);
CREATE INDEX join_request_person ON account.join_request (person_id);

-- When the owner of an account got the mail that a management token ends soon; null: not yet.
ALTER TABLE account.management_token ADD expiry_warned_at timestamptz;
CREATE INDEX management_token_expires ON account.management_token (expires_at) WHERE expiry_warned_at IS NULL;

-- +goose Down
DROP INDEX account.management_token_expires;
ALTER TABLE account.management_token DROP expiry_warned_at;
DROP TABLE account.join_request, account.domain;
ALTER TABLE account.session DROP passkey_at;
ALTER TABLE account.member DROP factor_mails, DROP factor_mailed_at;
DROP INDEX account.account_member_factor;
ALTER TABLE account.account DROP member_factor_from;
