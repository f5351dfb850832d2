-- Every row of an account's usage between two days, as it is exported: some thousands for a busy account in a month.
-- Relies on the primary keys of usage and api_key.
SELECT CASE k.kind WHEN 'console' THEN 0 ELSE u.key_id END, u.day - DATE '1970-01-01', k.name, u.operation, u.status_class, u.requests, u.counted
FROM account.usage u
JOIN account.api_key k ON k.id = u.key_id AND k.account_id = u.account_id
WHERE u.account_id = $1 AND u.day BETWEEN DATE '1970-01-01' + $2::int AND DATE '1970-01-01' + $3::int
ORDER BY u.day, k.name, u.key_id, u.operation, u.status_class
