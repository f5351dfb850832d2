-- +goose Up
-- Further addresses that get the mails about an account's payments. They are no rows of account.notice_address: the
-- version before would send them the notices about the quota.
CREATE TABLE account.billing_recipient (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id   bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    email        text NOT NULL CHECK (char_length(email) BETWEEN 3 AND 254),
    nonce        uuid NOT NULL DEFAULT gen_random_uuid(), -- signs the tokens of the links in its mails
    asked_at     timestamptz NOT NULL, -- when the link was last sent
    confirmed_at timestamptz,          -- null: no other mail is sent there yet
    UNIQUE (account_id, email)
);

-- Whether the present price of a subscription, and the one that follows at the end of its period, are for a year.
ALTER TABLE account.subscription
    ADD yearly      boolean NOT NULL DEFAULT false,
    ADD next_yearly boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE account.subscription DROP next_yearly, DROP yearly;
DROP TABLE account.billing_recipient;
