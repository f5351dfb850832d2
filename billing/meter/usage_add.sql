-- Adds answers to the usage of keys, by day and by hour. One row a key, operation, status class and hour that was busy
-- since the last flush. Relies on the primary keys of api_key, usage and usage_hour. A key that is gone, or is not the
-- account's, is left out.
WITH d AS MATERIALIZED (
    SELECT d.*
    FROM unnest($1::bigint[], $2::int[], $3::bigint[], $4::text[], $5::smallint[], $6::bigint[], $7::bigint[], $8::bigint[])
        AS d (account_id, day, key_id, operation, status_class, requests, counted, hour)
    JOIN account.api_key k ON k.id = d.key_id AND k.account_id = d.account_id
), by_hour AS (
    INSERT INTO account.usage_hour AS h (account_id, key_id, operation, status_class, hour, requests)
    SELECT account_id, key_id, operation, status_class, to_timestamp(hour), sum(requests)
    FROM d GROUP BY account_id, hour, key_id, operation, status_class
    ON CONFLICT (account_id, hour, key_id, operation, status_class)
    DO UPDATE SET requests = h.requests + EXCLUDED.requests
)
INSERT INTO account.usage AS u (account_id, key_id, operation, status_class, day, requests, counted)
SELECT account_id, key_id, operation, status_class, DATE '1970-01-01' + day, sum(requests), sum(counted)
FROM d GROUP BY account_id, day, key_id, operation, status_class
ON CONFLICT (account_id, day, key_id, operation, status_class)
DO UPDATE SET requests = u.requests + EXCLUDED.requests, counted = u.counted + EXCLUDED.counted
