-- What each key of an account did with each operation on each day of a range: at most keys × operations × days × classes
-- rows, some thousands for a busy account in a month. The console is no key, and has number 0. Relies on the primary keys
-- of usage and api_key.
SELECT CASE k.kind WHEN 'console' THEN 0 ELSE u.key_id END, k.name, u.operation, u.status_class, u.day - DATE '1970-01-01',
    u.requests, u.counted
FROM account.usage u
JOIN account.api_key k ON k.id = u.key_id AND k.account_id = u.account_id
WHERE u.account_id = $1 AND u.day BETWEEN DATE '1970-01-01' + $2::int AND DATE '1970-01-01' + $3::int
ORDER BY u.key_id, u.operation, u.day, u.status_class
