-- +goose Up
-- An organisation is a row of account.account, as a person is: keys, plan, usage, subscription and audit refer to either.
-- A person signs in; an organisation has members who do. The account of a person is an organisation of its own with that
-- person as its owner, without a row in account.member, so that nothing is filled in here.
--
-- The address of an organisation for mails and invoices is contact_email. Its email is a text that no mail reaches and
-- that no person can have: the index over all addresses stays unique, on which the version before relies at sign-up.

-- Sessions and keys would queue behind a change that waits for a backup: the tables are changed in a pause of their readers.
-- +goose StatementBegin
DO $$
BEGIN
    SET LOCAL lock_timeout = '20ms';
    LOOP
        BEGIN
            LOCK TABLE account.account, account.session, account.api_key, account.assistant_code IN ACCESS EXCLUSIVE MODE;
            EXIT;
        EXCEPTION WHEN lock_not_available THEN
            PERFORM pg_sleep(0.2);
        END;
    END LOOP;
    RESET lock_timeout;
END
$$;
-- +goose StatementEnd
ALTER TABLE account.account
    ADD kind          text NOT NULL DEFAULT 'person' CHECK (kind IN ('person', 'organisation')),
    ADD name          text CHECK (char_length(name) BETWEEN 1 AND 80),
    ADD contact_email text CHECK (char_length(contact_email) BETWEEN 3 AND 254),
    ADD CONSTRAINT account_kind CHECK (CASE kind
        WHEN 'person' THEN name IS NULL AND contact_email IS NULL
        ELSE name IS NOT NULL AND contact_email IS NOT NULL AND password_hash IS NULL AND totp_sealed IS NULL END);
CREATE INDEX account_contact ON account.account (contact_email) WHERE contact_email IS NOT NULL;

CREATE TABLE account.member (
    account_id bigint NOT NULL REFERENCES account.account ON DELETE CASCADE, -- the organisation
    -- A person who is deleted leaves first, in the same transaction: a version that does not know this table cannot take the
    -- last owner of an organisation away.
    person_id  bigint NOT NULL REFERENCES account.account ON DELETE RESTRICT,
    role       text NOT NULL CHECK (role IN ('owner', 'admin', 'developer', 'billing', 'reader')),
    created_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, person_id),
    CHECK (account_id <> person_id)
);
CREATE INDEX member_person ON account.member (person_id);

-- Invitations that wait for an answer. The token of the mailed link is signed with the nonce, which a link that is sent
-- again replaces. A row goes with the answer.
CREATE TABLE account.invitation (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    email      text NOT NULL CHECK (char_length(email) BETWEEN 3 AND 254),
    role       text NOT NULL CHECK (role IN ('owner', 'admin', 'developer', 'billing', 'reader')),
    bound      boolean NOT NULL, -- only a person with this address can accept
    invited_by bigint REFERENCES account.account ON DELETE SET NULL,
    nonce      uuid NOT NULL DEFAULT gen_random_uuid(),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    UNIQUE (account_id, email)
);
CREATE INDEX invitation_expires ON account.invitation (expires_at);
CREATE INDEX invitation_inviter ON account.invitation (invited_by) WHERE invited_by IS NOT NULL;

-- The organisation that the pages of a session show; null: the person's own account. It counts only while the person is a
-- member of it.
ALTER TABLE account.session ADD organisation_id bigint REFERENCES account.account ON DELETE SET NULL;
CREATE INDEX session_organisation ON account.session (organisation_id) WHERE organisation_id IS NOT NULL;

-- The person who made a key and has seen its secret; null: made before this column, by the operator, or by a person
-- whose account is deleted. A personal key ends when that person leaves the organisation.
ALTER TABLE account.api_key
    ADD created_by bigint REFERENCES account.account ON DELETE SET NULL,
    ADD personal   boolean NOT NULL DEFAULT false;
CREATE INDEX api_key_creator ON account.api_key (created_by) WHERE created_by IS NOT NULL;

-- The person who authorized an assistant; null: the account itself.
ALTER TABLE account.assistant_code ADD person_id bigint REFERENCES account.account ON DELETE CASCADE;
CREATE INDEX assistant_code_person ON account.assistant_code (person_id) WHERE person_id IS NOT NULL;

-- +goose Down
DROP INDEX account.assistant_code_person;
ALTER TABLE account.assistant_code DROP person_id;
DROP INDEX account.api_key_creator;
ALTER TABLE account.api_key DROP personal, DROP created_by;
DROP INDEX account.session_organisation;
ALTER TABLE account.session DROP organisation_id;
DROP TABLE account.invitation, account.member;
DROP INDEX account.account_contact;
ALTER TABLE account.account DROP CONSTRAINT account_kind, DROP contact_email, DROP name, DROP kind;
