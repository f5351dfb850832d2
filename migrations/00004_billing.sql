-- +goose Up
-- What the operator gave to an account. The plan in force is the better one of this and of what is paid for.
ALTER TABLE account.account ADD granted_plan text NOT NULL DEFAULT 'free' CHECK (granted_plan IN ('free', 'standard', 'pro'));
UPDATE account.account SET granted_plan = plan;

-- What Stripe says of an account, as it was read last. One row an account that has ever begun to pay.
CREATE TABLE account.subscription (
    account_id           bigint PRIMARY KEY REFERENCES account.account ON DELETE CASCADE,
    customer_id          text NOT NULL UNIQUE,
    subscription_id      text UNIQUE,              -- null: nothing was bought yet
    plan                 text CHECK (plan IN ('standard', 'pro')),
    status               text,                     -- as Stripe names it: incomplete, active, past_due, unpaid, canceled…
    period_end           timestamptz,              -- of what is paid for
    cancel_at_period_end boolean NOT NULL DEFAULT false,
    next_plan            text CHECK (next_plan IN ('standard', 'pro')), -- takes effect at period_end
    past_due_since       timestamptz,              -- the grace ends seven days later
    past_due_told        boolean NOT NULL DEFAULT false, -- the mail of this failure was sent
    grace_over_told      boolean NOT NULL DEFAULT false, -- the mail that the plan has ended was sent
    disputed             boolean NOT NULL DEFAULT false, -- a charge is disputed or was given back whole
    read_at              timestamptz,              -- when this reading of Stripe began: an older one never replaces it
    updated_at           timestamptz NOT NULL
);
CREATE INDEX subscription_grace ON account.subscription (past_due_since) WHERE past_due_since IS NOT NULL;

-- Each event of Stripe that was accepted, by the transaction that applied it. One that is here is not handled again.
CREATE TABLE account.stripe_event (
    id          text PRIMARY KEY,
    type        text NOT NULL,
    account_id  bigint REFERENCES account.account ON DELETE SET NULL, -- null: of no account of ours
    created_at  timestamptz NOT NULL,  -- at Stripe
    received_at timestamptz NOT NULL,
    outcome     text NOT NULL,         -- applied, older, ignored
    payload     jsonb NOT NULL
);
CREATE INDEX stripe_event_account ON account.stripe_event (account_id, created_at DESC);
CREATE INDEX stripe_event_received ON account.stripe_event (received_at);

-- Customers at Stripe of accounts that were deleted: their subscription has still to be ended there.
CREATE TABLE account.orphan_customer (
    customer_id     text PRIMARY KEY,
    subscription_id text,
    since           timestamptz NOT NULL
);

-- What the deletion of a key looks for.
CREATE INDEX api_key_replaces ON account.api_key (replaces) WHERE replaces IS NOT NULL;
CREATE INDEX refusal_key ON account.refusal (key_id);

-- +goose Down
DROP INDEX account.refusal_key, account.api_key_replaces;
DROP TABLE account.orphan_customer, account.stripe_event, account.subscription;
ALTER TABLE account.account DROP granted_plan;
