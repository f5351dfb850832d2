-- Accounts that have a reserve, or had one this month: what they are allowed, what they chose, and what the month ($2: its
-- first day) has used of it before day $1 and on it. Reads some thirty rows an account. The condition is added by the caller.
SELECT a.id, coalesce(a.contact_email, a.email), a.language, a.plan, a.per_minute, a.enrichments_per_minute, a.per_day,
    coalesce(a.reserve_per_month, 0), coalesce(a.reserve_left, 0), coalesce(a.reserve_day = $1, false),
    coalesce(s.status IN ('active', 'trialing') AND NOT s.disputed, false),
    coalesce(m.per_month, 0), coalesce(m.notified, 0), u.quota_today, u.used_before, u.used_today
FROM account.account a
LEFT JOIN account.subscription s ON s.account_id = a.id
LEFT JOIN account.reserve_month m ON m.account_id = a.id AND m.month = $2
CROSS JOIN LATERAL (
    SELECT coalesce(max(d.quota) FILTER (WHERE d.day = $1), 0) AS quota_today,
        coalesce(sum(greatest(q.used - d.quota, 0)) FILTER (WHERE d.day < $1), 0) AS used_before,
        coalesce(sum(greatest(q.used - d.quota, 0)) FILTER (WHERE d.day = $1), 0) AS used_today
    FROM account.reserve_day d LEFT JOIN account.quota_day q ON q.account_id = d.account_id AND q.day = d.day
    WHERE d.account_id = a.id AND d.day BETWEEN $2 AND $1
) u
