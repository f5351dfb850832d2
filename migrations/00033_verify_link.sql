-- +goose Up
-- A mailed link proves again that the account belongs to the person who is signed in. It works in the session
-- that asked for it, and ends with that session.
ALTER TABLE account.link DROP CONSTRAINT link_purpose_check,
    ADD CONSTRAINT link_purpose_check CHECK (purpose IN ('confirm', 'reset', 'email', 'verify')),
    ADD session_id bigint REFERENCES account.session ON DELETE CASCADE; -- null: works in any session
CREATE INDEX link_session ON account.link (session_id) WHERE session_id IS NOT NULL;

-- +goose Down
DELETE FROM account.link WHERE purpose = 'verify';
ALTER TABLE account.link DROP session_id, DROP CONSTRAINT link_purpose_check,
    ADD CONSTRAINT link_purpose_check CHECK (purpose IN ('confirm', 'reset', 'email'));
