-- +goose Up
-- A random value of each account, in the metadata and in the idempotency keys of what is made for it at Stripe. Account ids repeat
-- after a restore and in another database; this value does not.
ALTER TABLE account.account ADD billing_reference uuid NOT NULL DEFAULT gen_random_uuid();
ALTER TABLE account.orphan_customer ADD reference text NOT NULL DEFAULT ''; -- of the deleted account

-- The number of the present attempt of a request to Stripe, which is part of its idempotency key. It rises when Stripe has answered
-- with an error, because Stripe answers the same key with the same error for a day.
CREATE TABLE account.billing_attempt (
    account_id bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    request    text NOT NULL, -- customer, checkout, upgrade
    number     integer NOT NULL,
    PRIMARY KEY (account_id, request)
);

-- What the operator has to look at: Stripe's objects that the service does not know or does not judge. Rows go when they are not
-- found any more. The column is not called account_id, as the row is the operator's and not the account's.
CREATE TABLE account.billing_finding (
    kind          text NOT NULL,
    object        text NOT NULL, -- id at Stripe
    about_account bigint REFERENCES account.account ON DELETE CASCADE, -- null: no account of this service
    detail        text NOT NULL,
    since         timestamptz NOT NULL,
    seen_at       timestamptz NOT NULL,
    PRIMARY KEY (kind, object)
);
CREATE INDEX billing_finding_account ON account.billing_finding (about_account) WHERE about_account IS NOT NULL;

-- Stripe Tax cannot place the customer's address, so that an invoice is not collected.
ALTER TABLE account.subscription ADD address_needed boolean NOT NULL DEFAULT false,
    ADD address_told boolean NOT NULL DEFAULT false; -- the mail about it was sent

-- +goose Down
ALTER TABLE account.subscription DROP address_told, DROP address_needed;
DROP TABLE account.billing_finding, account.billing_attempt;
ALTER TABLE account.orphan_customer DROP reference;
ALTER TABLE account.account DROP billing_reference;
