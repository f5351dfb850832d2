-- Adds what was counted to the days of accounts, and answers with the new totals, 0 for the key: one row an account and
-- day, a few hundred at most. Relies on the primary keys of account and quota_day. Rows come sorted, so that two instances lock
-- them in the same order; these locks also order the statements that follow in the transaction.
INSERT INTO account.quota_day AS q (account_id, day, used)
SELECT d.account_id, DATE '1970-01-01' + d.day, d.used
FROM unnest($1::bigint[], $2::int[], $3::bigint[]) AS d (account_id, day, used)
JOIN account.account a ON a.id = d.account_id
ORDER BY d.account_id, d.day
ON CONFLICT (account_id, day) DO UPDATE SET used = q.used + EXCLUDED.used
RETURNING q.account_id, q.day - DATE '1970-01-01', 0::bigint, q.used
