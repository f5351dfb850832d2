-- What each key of one kind asked for since it was made: at most keys × operations rows, a few dozen. Relies on the
-- primary key of usage, of which it reads the account's rows.
SELECT u.key_id, u.operation, coalesce(sum(u.requests) FILTER (WHERE u.day = DATE '1970-01-01' + $2::int), 0)::bigint,
    sum(u.requests)::bigint
FROM account.usage u
JOIN account.api_key k ON k.id = u.key_id AND k.account_id = u.account_id
WHERE u.account_id = $1 AND k.kind = $3
GROUP BY u.key_id, u.operation
ORDER BY u.key_id, sum(u.requests) DESC, u.operation
