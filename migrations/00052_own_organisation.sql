-- +goose Up
-- The account of a person can become an organisation. Its row stays, with its keys and its subscription; the person gets
-- another row. The owner of a subscription that renews for a year gets a mail about it in time.

-- Pages would queue behind a change that waits for a backup: the tables are changed in a pause of their readers.
-- +goose StatementBegin
DO $$
BEGIN
    SET LOCAL lock_timeout = '20ms';
    LOOP
        BEGIN
            LOCK TABLE account.recovery_code, account.subscription IN ACCESS EXCLUSIVE MODE;
            EXIT;
        EXCEPTION WHEN lock_not_available THEN
            PERFORM pg_sleep(0.2);
        END;
    END LOOP;
    RESET lock_timeout;
END
$$;
-- +goose StatementEnd
-- The number of the account that the hash of the code was made with; null: account_id. The version before does not accept
-- the codes of a person whose account became an organisation.
ALTER TABLE account.recovery_code ADD hashed_for bigint;

-- The end of the period before whose renewal for a year the owner got the last mail about it; null: none yet.
ALTER TABLE account.subscription ADD renewal_told_for timestamptz;

-- +goose Down
ALTER TABLE account.subscription DROP renewal_told_for;
DELETE FROM account.recovery_code WHERE hashed_for IS NOT NULL; -- nothing accepts them any more
ALTER TABLE account.recovery_code DROP hashed_for;
