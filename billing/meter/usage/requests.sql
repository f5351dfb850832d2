-- The last requests of an account since $2, the newest first, and their keys: $3 of one key (0: the console), $4 of one
-- operation, $5 of one outcome, $6 of some keys, where these are not null. Relies on the primary key of recent_request, of which it reads
-- the account's rows, one to two thousand at most.
SELECT q.at, CASE k.kind WHEN 'console' THEN 0 ELSE q.key_id END, k.name, k.prefix, q.operation, q.status, q.micros, q.request_id,
    coalesce(q.reason, ''), coalesce(q.parameter, ''), q.requests
FROM account.recent_request q
JOIN account.api_key k ON k.id = q.key_id AND k.account_id = q.account_id
WHERE q.account_id = $1 AND q.at > $2
    AND ($3::bigint IS NULL OR $3 = CASE k.kind WHEN 'console' THEN 0 ELSE q.key_id END)
    AND ($4::text IS NULL OR q.operation = $4)
    AND ($5::int IS NULL OR $5 = greatest(q.status / 100 - 3, 0))
    AND ($6::bigint[] IS NULL OR q.key_id = ANY ($6))
ORDER BY q.id DESC
