-- +goose Up
-- Endpoints: the https addresses at which an account receives its events. The secret signs them, so that it is sealed and
-- not hashed. The version before does not know them, and records no event.
CREATE TABLE account.webhook (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id    bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    url           text NOT NULL CHECK (char_length(url) BETWEEN 10 AND 500),
    events        text[] NOT NULL CHECK (cardinality(events) > 0),
    secret_sealed bytea NOT NULL,
    created_at    timestamptz NOT NULL,
    secret_at     timestamptz NOT NULL, -- when the secret was made
    failing_since timestamptz,          -- the first attempt that failed since the last one that succeeded; null: none
    off_at        timestamptz           -- when it was switched off because it failed; null: it is on
);
CREATE INDEX webhook_account ON account.webhook (account_id);

-- The events that were, or are to be, sent to an endpoint. Each is kept for 30 days.
CREATE TABLE account.webhook_delivery (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    webhook_id bigint NOT NULL REFERENCES account.webhook ON DELETE CASCADE,
    account_id bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    event_id   text NOT NULL,
    type       text NOT NULL,
    body       text NOT NULL, -- what is sent and signed, byte for byte
    created_at timestamptz NOT NULL,
    state      text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'delivered', 'failed')),
    ended_at   timestamptz,   -- when it was delivered or given up
    UNIQUE (webhook_id, event_id)
);
CREATE INDEX webhook_delivery_list ON account.webhook_delivery (webhook_id, id);
CREATE INDEX webhook_delivery_account ON account.webhook_delivery (account_id);
CREATE INDEX webhook_delivery_created ON account.webhook_delivery (created_at);
CREATE INDEX webhook_delivery_waiting ON account.webhook_delivery (webhook_id) WHERE state = 'waiting';

CREATE TABLE account.webhook_attempt (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    delivery_id  bigint NOT NULL REFERENCES account.webhook_delivery ON DELETE CASCADE,
    webhook_id   bigint NOT NULL REFERENCES account.webhook ON DELETE CASCADE, -- that of the delivery
    account_id   bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    at           timestamptz NOT NULL,
    status       smallint, -- of the answer; null: there was none
    reason       text,     -- why there was none; null: there was one
    milliseconds integer NOT NULL,
    by_hand      boolean NOT NULL,
    CHECK ((status IS NULL) <> (reason IS NULL))
);
CREATE INDEX webhook_attempt_delivery ON account.webhook_attempt (delivery_id);
CREATE INDEX webhook_attempt_webhook ON account.webhook_attempt (webhook_id, id);
CREATE INDEX webhook_attempt_account ON account.webhook_attempt (account_id);

-- The editions of geo.load of which an event was recorded. Empty: none yet, and those that are served now are no event.
CREATE TABLE account.announced_load (
    source   text NOT NULL,
    scope    text NOT NULL,
    checksum text NOT NULL, -- that of geo.load: the same edition loaded again has the same
    PRIMARY KEY (source, scope)
);

-- +goose Down
DROP TABLE account.announced_load, account.webhook_attempt, account.webhook_delivery, account.webhook;
