-- Takes the keys whose owner has to be notified that they expire, and records that they were: $1 now, $2 the end of what is
-- near, $3 how long a key must live in all to be worth a warning, $4 how many at most. A key that was rotated has a
-- successor, and its end is meant. Relies on api_key_expires; a handful of rows an hour.
UPDATE account.api_key k
SET expiry_warned_at = $1
FROM account.account a
WHERE a.id = k.account_id
  AND k.id IN (
    SELECT d.id
    FROM account.api_key d
    JOIN account.account o ON o.id = d.account_id
    WHERE d.expires_at > $1 AND d.expires_at <= $2
      AND d.revoked_at IS NULL AND d.expiry_warned_at IS NULL
      AND d.expires_at - d.created_at > $3
      AND o.email_confirmed_at IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM account.api_key n WHERE n.account_id = d.account_id AND n.replaces = d.id)
    ORDER BY d.expires_at
    LIMIT $4
    FOR UPDATE OF d SKIP LOCKED)
RETURNING a.id, coalesce(a.contact_email, a.email), a.language, k.name, k.expires_at, k.id, k.kind, k.last4, k.replaces
