-- What each account that wants notices, by mail or at an endpoint, has used on day $1, with what its limit depends on and the highest notice it
-- got, and those that its owner wants. Those that were notified of 100 % are left out. A row an account that was active today: the table
-- keeps few days an account, and its size decides whether the scan of one day matters.
SELECT a.id, coalesce(a.contact_email, a.email), a.language, a.plan, a.per_minute, a.enrichments_per_minute, a.per_day, q.used, coalesce(n.percent, 0)::integer,
    a.quota_percents, CASE WHEN a.reserve_day = $1 AND a.plan <> 'free' THEN coalesce(a.reserve_left, 0) ELSE 0 END,
    a.quota_mails
FROM account.quota_day q
JOIN account.account a ON a.id = q.account_id
LEFT JOIN LATERAL (
    SELECT max(w.percent) AS percent FROM account.quota_notice w WHERE w.account_id = q.account_id AND w.day = q.day
) n ON true
WHERE q.day = $1 AND q.used > 0 AND a.email_confirmed_at IS NOT NULL
  AND (a.quota_mails OR EXISTS (SELECT FROM account.webhook h
    WHERE h.account_id = a.id AND 'quota.threshold' = ANY (h.events) AND h.off_at IS NULL))
  AND coalesce(n.percent, 0) < 100
