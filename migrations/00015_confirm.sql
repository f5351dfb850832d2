-- +goose Up
-- What a link's token is computed from beside its number: after a restore from a backup numbers are given again, and a
-- mail of before must not open the row that has its number now. The default serves the version that knows nothing of it.
ALTER TABLE account.link ADD nonce uuid NOT NULL DEFAULT gen_random_uuid();

-- Sign-ups that nobody confirmed are looked for every hour.
CREATE INDEX account_unconfirmed ON account.account (created_at) WHERE email_confirmed_at IS NULL;

-- +goose Down
DROP INDEX account.account_unconfirmed;
ALTER TABLE account.link DROP nonce;
