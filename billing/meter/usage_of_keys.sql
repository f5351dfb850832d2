-- What keys with a cap have used of a day, after a flush. One row a key of the flush that has a cap, a few dozen at
-- most. Relies on the primary key of usage. A key that is gone has no row.
SELECT d.account_id, d.day, d.key_id, coalesce(sum(u.counted), 0)::bigint
FROM unnest($1::bigint[], $2::int[], $3::bigint[]) AS d (account_id, day, key_id)
JOIN account.api_key k ON k.id = d.key_id AND k.account_id = d.account_id
LEFT JOIN account.usage u
    ON u.account_id = d.account_id AND u.day = DATE '1970-01-01' + d.day AND u.key_id = d.key_id
GROUP BY d.account_id, d.day, d.key_id
