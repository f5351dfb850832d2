-- Takes the management tokens whose account has to be notified that they expire, and records that it was: $1 now, $2 the end
-- of what is near, $3 how long a token must live in all to be worth a warning, $4 how many at most. Relies on
-- management_token_expires; a handful of rows an hour.
UPDATE account.management_token t
SET expiry_warned_at = $1
FROM account.account a
WHERE a.id = t.account_id
  AND t.id IN (
    SELECT d.id
    FROM account.management_token d
    JOIN account.account o ON o.id = d.account_id
    WHERE d.expires_at > $1 AND d.expires_at <= $2 AND d.expiry_warned_at IS NULL
      AND d.expires_at - d.created_at > $3
      AND o.email_confirmed_at IS NOT NULL
      AND (d.created_by = d.account_id OR EXISTS (SELECT FROM account.member m
          WHERE m.account_id = d.account_id AND m.person_id = d.created_by AND m.created_at <= d.created_at))
    ORDER BY d.expires_at
    LIMIT $4
    FOR UPDATE OF d SKIP LOCKED)
RETURNING a.id, coalesce(a.contact_email, a.email), a.language, t.name, t.expires_at
