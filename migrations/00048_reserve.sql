-- +goose Up
-- The reserve: requests beyond the quota of a day that the owner pays for, so many a month. Those of a day are what
-- account.quota_day counts beyond the quota that is kept here.

-- Keys and sessions would queue behind a change that waits for a backup: the table is changed in a pause of its readers.
-- +goose StatementBegin
DO $$
BEGIN
    SET LOCAL lock_timeout = '20ms';
    LOOP
        BEGIN
            LOCK TABLE account.account IN ACCESS EXCLUSIVE MODE;
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
    ADD reserve_per_month integer CHECK (reserve_per_month > 0), -- null: none
    ADD reserve_left      integer CHECK (reserve_left >= 0),     -- of the month, as reserve_day began
    ADD reserve_day       date;

CREATE TRIGGER account_reserve_changed AFTER UPDATE OF reserve_per_month, reserve_left, reserve_day
    ON account.account FOR EACH ROW EXECUTE FUNCTION account.tell_change();

-- The days on which an account had a reserve, each with the highest quota that held on it.
CREATE TABLE account.reserve_day (
    account_id bigint  NOT NULL REFERENCES account.account ON DELETE CASCADE,
    day        date    NOT NULL,
    quota      integer NOT NULL,
    PRIMARY KEY (account_id, day)
);
CREATE INDEX reserve_day_day ON account.reserve_day (day);

-- The months in which an account had a reserve, each with the highest that its owner chose: no more is paid.
CREATE TABLE account.reserve_month (
    account_id  bigint   NOT NULL REFERENCES account.account ON DELETE CASCADE,
    month       date     NOT NULL, -- its first day
    per_month   integer  NOT NULL,
    notified    smallint NOT NULL DEFAULT 0, -- the highest percentage that the owner was notified of
    requests    integer,     -- that were invoiced; null: not yet
    invoice_id  text,        -- at Stripe; null: not made, or nothing to pay
    invoiced_at timestamptz, -- null: not complete yet
    checked_at  timestamptz, -- when its payment was looked for last
    closed_at  timestamptz, -- when it was found paid, or not due any more
    PRIMARY KEY (account_id, month)
);

-- What the customer of a deleted account has still to pay of its reserve, by an invoice that is made before all else ends.
ALTER TABLE account.orphan_customer
    ADD reserve_requests integer NOT NULL DEFAULT 0,
    ADD reserve_invoice  text;

-- +goose Down
ALTER TABLE account.orphan_customer DROP reserve_invoice, DROP reserve_requests;
DROP TABLE account.reserve_month, account.reserve_day;
DROP TRIGGER account_reserve_changed ON account.account;
ALTER TABLE account.account DROP reserve_day, DROP reserve_left, DROP reserve_per_month;
