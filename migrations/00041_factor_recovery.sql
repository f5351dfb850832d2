-- +goose Up
-- The owner of an account has lost the second factor and its recovery codes, and has proved by a mailed link that
-- the mail of the address is read: the time at which the factor is turned off. Null: it stays.
ALTER TABLE account.account ADD factor_recovery_due_at timestamptz;
ALTER TABLE account.link DROP CONSTRAINT link_purpose_check,
    ADD CONSTRAINT link_purpose_check CHECK (purpose IN ('confirm', 'reset', 'email', 'verify', 'recover'));

-- +goose Down
DELETE FROM account.link WHERE purpose = 'recover';
ALTER TABLE account.link DROP CONSTRAINT link_purpose_check,
    ADD CONSTRAINT link_purpose_check CHECK (purpose IN ('confirm', 'reset', 'email', 'verify'));
ALTER TABLE account.account DROP factor_recovery_due_at;
