-- Everything kept about one account, as one JSON document, without anything that would let somebody in. It relies on
-- the indexes on account_id of each table; the largest part is the usage, a few rows a key and day.
SELECT jsonb_pretty(jsonb_build_object(
    'exported_at', $2::timestamptz,
    'account', (SELECT jsonb_build_object('id', a.id, 'kind', a.kind, 'name', a.name,
            'email', coalesce(a.contact_email, a.email), 'email_confirmed_at', a.email_confirmed_at,
            'plan', a.plan, 'language', a.language, 'quota_mails', a.quota_mails, 'quota_percents', a.quota_percents, 'created_at', a.created_at,
            'has_password', a.password_hash IS NOT NULL, 'password_changed_at', a.password_changed_at,
            'second_factor_since', a.totp_enabled_at, 'second_factor_required_since', a.second_factor_required_at,
            'second_factor_ends_at', a.factor_recovery_due_at, 'members_need_second_factor_from', a.member_factor_from, 'own_limits', jsonb_build_object('per_minute', a.per_minute,
                'enrichments_per_minute', a.enrichments_per_minute, 'per_day', a.per_day))
        FROM account.account a WHERE a.id = $1),
    'identities', (SELECT coalesce(jsonb_agg(jsonb_build_object('provider', i.provider, 'subject', i.subject, 'email', i.email,
            'created_at', i.created_at, 'last_used_at', i.last_used_at) ORDER BY i.id), '[]')
        FROM account.identity i WHERE i.account_id = $1),
    'passkeys', (SELECT coalesce(jsonb_agg(jsonb_build_object('name', p.name, 'model', p.model, 'backed_up', p.backed_up,
            'transports', p.transports, 'created_at', p.created_at, 'last_used_at', p.last_used_at) ORDER BY p.id), '[]')
        FROM account.passkey p WHERE p.account_id = $1),
    'sessions', (SELECT coalesce(jsonb_agg(jsonb_build_object('method', s.method, 'created_at', s.created_at,
            'last_used_at', s.last_used_at, 'passkey_used_at', s.passkey_at, 'expires_at', s.expires_at, 'address', host(s.address), 'agent', s.agent) ORDER BY s.id), '[]')
        FROM account.session s WHERE s.account_id = $1),
    'organisations', (SELECT coalesce(jsonb_agg(jsonb_build_object('id', o.id, 'name', o.name, 'role', m.role,
            'member_since', m.created_at) ORDER BY o.id), '[]')
        FROM account.member m JOIN account.account o ON o.id = m.account_id WHERE m.person_id = $1),
    'members', (SELECT coalesce(jsonb_agg(jsonb_build_object('email', p.email, 'role', m.role,
            'member_since', m.created_at) ORDER BY m.created_at, p.id), '[]')
        FROM account.member m JOIN account.account p ON p.id = m.person_id WHERE m.account_id = $1),
    'invitations', (SELECT coalesce(jsonb_agg(jsonb_build_object('email', i.email, 'role', i.role, 'bound', i.bound,
            'created_at', i.created_at, 'expires_at', i.expires_at) ORDER BY i.id), '[]')
        FROM account.invitation i WHERE i.account_id = $1),
    'domains', (SELECT coalesce(jsonb_agg(jsonb_build_object('name', d.name, 'record', 'arpent-domain=' || d.token,
            'created_at', d.created_at, 'proven_at', d.proven_at, 'record_seen_at', d.seen_at, 'checked_at', d.checked_at,
            'join_role', d.join_role, 'join_approval', d.join_approval) ORDER BY d.id), '[]')
        FROM account.domain d WHERE d.account_id = $1),
    'join_requests', (SELECT coalesce(jsonb_agg(jsonb_build_object('organisation', o.name, 'email', p.email,
            'created_at', r.created_at, 'declined_at', r.declined_at) ORDER BY r.created_at, p.id), '[]')
        FROM account.join_request r JOIN account.account o ON o.id = r.account_id JOIN account.account p ON p.id = r.person_id
        WHERE r.account_id = $1 OR r.person_id = $1),
    'keys', (SELECT coalesce(jsonb_agg(jsonb_build_object('id', k.id, 'name', k.name, 'kind', k.kind, 'prefix', k.prefix,
            'last4', k.last4, 'refuse_in_query', k.refuse_in_query, 'per_day', k.per_day, 'networks', k.networks::text[],
            'created_at', k.created_at, 'expires_at', k.expires_at, 'paused_at', k.paused_at, 'revoked_at', k.revoked_at,
            'last_used_at', k.last_used_at, 'request_count', k.request_count, 'personal', k.personal) ORDER BY k.id), '[]')
        FROM account.api_key k WHERE k.account_id = $1),
    'management_tokens', (SELECT coalesce(jsonb_agg(jsonb_build_object('name', t.name, 'scopes', t.scopes, 'last4', t.last4,
            'created_at', t.created_at, 'expires_at', t.expires_at, 'last_used_at', t.last_used_at) ORDER BY t.id), '[]')
        FROM account.management_token t WHERE t.account_id = $1),
    'webhooks', (SELECT coalesce(jsonb_agg(jsonb_build_object('url', w.url, 'events', w.events, 'created_at', w.created_at,
            'secret_at', w.secret_at, 'failing_since', w.failing_since, 'off_at', w.off_at,
            'deliveries', (SELECT coalesce(jsonb_agg(jsonb_build_object('event', d.body::jsonb, 'state', d.state, 'ended_at', d.ended_at,
                    'attempts', (SELECT coalesce(jsonb_agg(jsonb_build_object('at', t.at, 'status', t.status, 'reason', t.reason,
                            'milliseconds', t.milliseconds, 'by_hand', t.by_hand) ORDER BY t.id), '[]')
                        FROM account.webhook_attempt t WHERE t.account_id = $1 AND t.delivery_id = d.id)) ORDER BY d.id), '[]')
                FROM account.webhook_delivery d WHERE d.account_id = $1 AND d.webhook_id = w.id)) ORDER BY w.id), '[]')
        FROM account.webhook w WHERE w.account_id = $1),
    'assistants', (SELECT coalesce(jsonb_agg(jsonb_build_object('key_id', g.key_id, 'client', c.name, 'client_id', g.client_id,
            'client_uri', c.uri, 'redirect_uri', g.redirect_uri, 'scope', g.scope, 'connected_at', g.created_at,
            'refreshed_at', g.refreshed_at, 'ended_at', g.ended_at, 'ended_by', g.ended_by) ORDER BY g.id), '[]')
        FROM account.assistant_grant g JOIN account.assistant_client c ON c.id = g.client_id WHERE g.account_id = $1),
    'usage_by_day', (SELECT coalesce(jsonb_agg(jsonb_build_object('day', u.day, 'key_id', u.key_id, 'operation', u.operation,
            'status_class', u.status_class, 'requests', u.requests, 'counted', u.counted)
            ORDER BY u.day, u.key_id, u.operation, u.status_class), '[]')
        FROM account.usage u WHERE u.account_id = $1),
    'refusals', (SELECT coalesce(jsonb_agg(jsonb_build_object('key_id', r.key_id, 'met', r.met, 'limit', r."limit",
            'first_at', r.first_at, 'last_at', r.last_at, 'requests', r.requests) ORDER BY r.minute, r.key_id, r.met), '[]')
        FROM account.refusal r WHERE r.account_id = $1),
    'usage_by_hour', (SELECT coalesce(jsonb_agg(jsonb_build_object('hour', h.hour, 'key_id', h.key_id, 'operation', h.operation,
            'status_class', h.status_class, 'requests', h.requests) ORDER BY h.hour, h.key_id, h.operation, h.status_class), '[]')
        FROM account.usage_hour h WHERE h.account_id = $1),
    'recent_requests', (SELECT coalesce(jsonb_agg(jsonb_build_object('at', q.at, 'key_id', q.key_id, 'operation', q.operation,
            'status', q.status, 'microseconds', q.micros, 'request_id', q.request_id, 'reason', q.reason, 'parameter', q.parameter,
            'requests', q.requests) ORDER BY q.id), '[]')
        FROM account.recent_request q WHERE q.account_id = $1),
    'subscription', (SELECT jsonb_build_object('customer', s.customer_id, 'subscription', s.subscription_id, 'plan', s.plan,
            'status', s.status, 'period_end', s.period_end, 'cancel_at_period_end', s.cancel_at_period_end, 'next_plan', s.next_plan,
            'yearly', s.yearly, 'next_yearly', s.next_yearly)
        FROM account.subscription s WHERE s.account_id = $1),
    'payment_events', (SELECT coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'type', t.type, 'created_at', t.created_at,
            'received_at', t.received_at, 'content', t.payload) ORDER BY t.created_at, t.id), '[]')
        FROM account.stripe_event t WHERE t.account_id = $1),
    'links', (SELECT coalesce(jsonb_agg(jsonb_build_object('purpose', l.purpose, 'email', l.email, 'created_at', l.created_at,
            'expires_at', l.expires_at, 'used_at', l.used_at) ORDER BY l.id), '[]')
        FROM account.link l WHERE l.account_id = $1),
    'notice_addresses', (SELECT coalesce(jsonb_agg(jsonb_build_object('email', n.email, 'asked_at', n.asked_at,
            'confirmed_at', n.confirmed_at) ORDER BY n.id), '[]')
        FROM account.notice_address n WHERE n.account_id = $1),
    'billing_recipients', (SELECT coalesce(jsonb_agg(jsonb_build_object('email', n.email, 'asked_at', n.asked_at,
            'confirmed_at', n.confirmed_at) ORDER BY n.id), '[]')
        FROM account.billing_recipient n WHERE n.account_id = $1),
    'plan_wish', (SELECT jsonb_build_object('plan', w.plan, 'asked_at', w.created_at) FROM account.plan_wish w WHERE w.account_id = $1),
    'audit', (SELECT coalesce(jsonb_agg(jsonb_build_object('at', e.at, 'actor', e.actor, 'action', e.action, 'detail', e.detail,
            'address', host(e.address), 'agent', e.agent) ORDER BY e.id), '[]')
        FROM account.audit e WHERE e.account_id = $1)
))
