-- +goose Up
-- What the service found when it called its own operations. Every instance adds its calls to the row of the day.
CREATE TABLE account.probe_day (
    day       date NOT NULL,        -- in Paris
    operation text NOT NULL,
    ok        integer NOT NULL,     -- calls that were answered as they should be
    failed    integer NOT NULL,
    latency   integer[] NOT NULL,   -- of those that were answered: how many took up to 10^(n/10) milliseconds, n from 0
    PRIMARY KEY (day, operation)
);

-- Calls of an operation that failed in a row. It is over when none has failed for a while.
CREATE TABLE account.probe_incident (
    operation text NOT NULL,
    began_at  timestamptz NOT NULL,
    failed_at timestamptz NOT NULL, -- the last time
    failures  integer NOT NULL,
    reason    text NOT NULL,        -- of the last failure: a status, timeout, unreachable, malformed
    PRIMARY KEY (operation, began_at)
);

-- +goose Down
DROP TABLE account.probe_incident, account.probe_day;
