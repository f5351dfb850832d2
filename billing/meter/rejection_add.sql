-- Adds rejections to those of the same key, limit and minute. One row a key, limit and minute in which it was met since
-- the last flush. Relies on the primary keys of both tables. A key that is gone, or is not the account's, is
-- left out. Sorted, so that two instances lock the rows in the same order.
INSERT INTO account.refusal AS r (account_id, key_id, met, "limit", minute, first_at, last_at, requests)
SELECT d.account_id, d.key_id, d.met, d."limit", to_timestamp(d.minute), to_timestamp(d.first_at), to_timestamp(d.last_at), d.requests
FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::int[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[])
    AS d (account_id, key_id, met, "limit", minute, first_at, last_at, requests)
JOIN account.api_key k ON k.id = d.key_id AND k.account_id = d.account_id
ORDER BY d.account_id, d.minute, d.key_id, d.met, d."limit"
ON CONFLICT (account_id, minute, key_id, met, "limit") DO UPDATE
SET first_at = least(r.first_at, EXCLUDED.first_at), last_at = greatest(r.last_at, EXCLUDED.last_at),
    requests = r.requests + EXCLUDED.requests
