-- +goose Up
-- Addresses that were stored before the form of today: a domain in Unicode, capitals, a part before the @
-- that is not ASCII, a domain without a dot. Each start brings them to that form; those that cannot be are
-- shown by arpent doctor. The index is empty as a rule.
CREATE INDEX account_email_form ON account.account (id)
    WHERE email <> lower(email) OR email ~ '[^!-~]' OR email !~ '^[^@]+@[^@]+[.][^@]+$';

-- +goose Down
DROP INDEX account.account_email_form;
