-- What each key of an account did in a day: one row a key that was used, a few dozen at most. Relies on the primary
-- keys of usage and api_key.
SELECT k.id, k.name, sum(u.requests)::bigint, sum(u.counted)::bigint
FROM account.usage u
JOIN account.api_key k ON k.id = u.key_id AND k.account_id = u.account_id
WHERE u.account_id = $1 AND u.day = DATE '1970-01-01' + $2::int
GROUP BY k.id, k.name
ORDER BY k.id
