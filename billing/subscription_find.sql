-- An account and what is known of its subscription, if it has ever begun to pay: one row. The condition is added by
-- the caller: the account's primary key, or the unique index on customer_id.
SELECT a.id, coalesce(a.contact_email, a.email), a.language, a.granted_plan, a.plan,
    coalesce(s.customer_id, ''), coalesce(s.subscription_id, ''), coalesce(s.plan, ''), coalesce(s.status, ''), s.period_end,
    coalesce(s.cancel_at_period_end, false), coalesce(s.next_plan, ''), s.past_due_since, coalesce(s.past_due_told, false),
    coalesce(s.grace_over_told, false), coalesce(s.disputed, false), s.read_at,
    a.billing_reference::text, coalesce(s.address_needed, false), coalesce(s.address_told, false),
    coalesce(s.yearly, false), coalesce(s.next_yearly, false)
FROM account.account a LEFT JOIN account.subscription s ON s.account_id = a.id
