-- +goose Up
-- Further addresses that get the notices about an account's quota, once a reader of their mail has agreed by the link
-- that was sent there. The tokens of that link and of the link that stops the notices are signed with the nonce.
CREATE TABLE account.notice_address (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id   bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    email        text NOT NULL CHECK (char_length(email) BETWEEN 3 AND 254),
    nonce        uuid NOT NULL DEFAULT gen_random_uuid(),
    asked_at     timestamptz NOT NULL, -- when the link was last sent
    confirmed_at timestamptz,          -- null: no notice is sent there yet
    UNIQUE (account_id, email)
);

-- +goose Down
DROP TABLE account.notice_address;
