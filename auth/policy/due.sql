-- Takes the members without a second factor who are to get a mail that their organisation requires one, and records that
-- they got it: $1 now, $2 the end of what is near, $3 whether passkeys count, $4 how many at most, $5 a day ago: a member gets one mail a
-- day at most. A member gets the first
-- mail whatever the date, and the second one, which may be the first too, when the date is near. Relies on
-- account_member_factor and the primary key of member; a handful of rows an hour.
UPDATE account.member m
SET factor_mails = d.mails, factor_mailed_at = $1
FROM account.account o, account.account p, (
    SELECT w.account_id, w.person_id, r.mails
    FROM account.account a
    JOIN account.member w ON w.account_id = a.id
    JOIN account.account q ON q.id = w.person_id
    CROSS JOIN LATERAL (
        SELECT CASE WHEN a.member_factor_from > $1 AND a.member_factor_from <= $2 THEN 2 ELSE 1 END AS mails) r
    WHERE a.member_factor_from IS NOT NULL
      AND w.factor_mails < r.mails
      AND (w.factor_mailed_at IS NULL OR w.factor_mailed_at <= $5)
      AND q.totp_enabled_at IS NULL
      AND NOT ($3 AND EXISTS (SELECT FROM account.passkey k WHERE k.account_id = q.id))
    ORDER BY w.account_id, w.person_id
    LIMIT $4
    FOR UPDATE OF w SKIP LOCKED) d
WHERE m.account_id = d.account_id AND m.person_id = d.person_id AND o.id = d.account_id AND p.id = d.person_id
RETURNING o.name, o.member_factor_from, p.id, p.email, p.language
