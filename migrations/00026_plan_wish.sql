-- +goose Up
-- Who wants a mail once paid plans can be bought. The row goes with the transaction that leaves the mail.
CREATE TABLE account.plan_wish (
    account_id bigint PRIMARY KEY REFERENCES account.account ON DELETE CASCADE,
    plan       text NOT NULL CHECK (plan IN ('standard', 'pro')),
    created_at timestamptz NOT NULL
);

-- +goose Down
DROP TABLE account.plan_wish;
