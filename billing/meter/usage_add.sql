-- Adds answers to the usage of keys. One row a key, operation and status class that was busy since the last flush.
-- Relies on the primary keys of api_key and usage. A key that is gone, or is not the account's, is left out.
INSERT INTO account.usage AS u (account_id, key_id, operation, status_class, day, requests, counted)
SELECT d.account_id, d.key_id, d.operation, d.status_class, DATE '1970-01-01' + d.day, d.requests, d.counted
FROM unnest($1::bigint[], $2::int[], $3::bigint[], $4::text[], $5::smallint[], $6::bigint[], $7::bigint[])
    AS d (account_id, day, key_id, operation, status_class, requests, counted)
JOIN account.api_key k ON k.id = d.key_id AND k.account_id = d.account_id
ON CONFLICT (account_id, day, key_id, operation, status_class)
DO UPDATE SET requests = u.requests + EXCLUDED.requests, counted = u.counted + EXCLUDED.counted
