-- +goose Up
-- Requests by hour, for the page Usage: one row a key, operation, status class and hour. Kept two days.
CREATE TABLE account.usage_hour (
    account_id   bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    key_id       bigint NOT NULL REFERENCES account.api_key ON DELETE CASCADE,
    operation    text NOT NULL,
    status_class smallint NOT NULL CHECK (status_class BETWEEN 1 AND 5),
    hour         timestamptz NOT NULL,
    requests     bigint NOT NULL CHECK (requests > 0),
    PRIMARY KEY (account_id, hour, key_id, operation, status_class)
);
CREATE INDEX usage_hour_hour ON account.usage_hour (hour);
CREATE INDEX usage_hour_key ON account.usage_hour (key_id);

-- The last requests of each account, for the same page: no argument, no address of a client. Kept one day, and some
-- thousand an account at most. A run of requests refused for one limit is one row.
CREATE TABLE account.recent_request (
    account_id bigint NOT NULL REFERENCES account.account ON DELETE CASCADE,
    id         bigint GENERATED ALWAYS AS IDENTITY,
    key_id     bigint NOT NULL REFERENCES account.api_key ON DELETE CASCADE,
    at         timestamptz NOT NULL,
    operation  text NOT NULL,
    status     smallint NOT NULL,
    micros     bigint NOT NULL,            -- from reading the request to its answer being ready
    request_id text NOT NULL,              -- as in the header X-Request-ID and the log
    reason     text,                       -- the limit that was met, or the code of the error; null: none
    parameter  text,                       -- the name of the parameter that was wrong
    requests   bigint NOT NULL CHECK (requests > 0),
    PRIMARY KEY (account_id, id)
);
CREATE INDEX recent_request_at ON account.recent_request (at);
CREATE INDEX recent_request_key ON account.recent_request (key_id);

-- The percentages of a day's quota at which the owner wants a mail.
ALTER TABLE account.account ADD quota_percents smallint[] NOT NULL DEFAULT '{80,100}'
    CHECK (cardinality(quota_percents) BETWEEN 1 AND 10 AND 1 <= ALL (quota_percents) AND 100 >= ALL (quota_percents));
ALTER TABLE account.quota_notice DROP CONSTRAINT quota_notice_percent_check,
    ADD CONSTRAINT quota_notice_percent_check CHECK (percent BETWEEN 1 AND 100);

-- +goose Down
DELETE FROM account.quota_notice WHERE percent NOT IN (80, 100);
ALTER TABLE account.quota_notice DROP CONSTRAINT quota_notice_percent_check,
    ADD CONSTRAINT quota_notice_percent_check CHECK (percent IN (80, 100));
ALTER TABLE account.account DROP quota_percents;
DROP TABLE account.recent_request, account.usage_hour;
