-- What each key of an account did with each operation in each hour from $2 until before $3: at most keys × operations ×
-- hours × classes rows, some hundreds for a busy account in a day. The console is no key, and has number 0. Relies on the
-- primary keys of usage_hour and api_key.
SELECT CASE k.kind WHEN 'console' THEN 0 ELSE h.key_id END, k.name, h.operation, h.status_class, h.hour, h.requests
FROM account.usage_hour h
JOIN account.api_key k ON k.id = h.key_id AND k.account_id = h.account_id
WHERE h.account_id = $1 AND h.hour >= $2 AND h.hour < $3
ORDER BY h.key_id, h.operation, h.hour, h.status_class
