package operation_test

import (
	"regexp"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/internal/pgdb"
)

// The tables that docs/scaling.md distributes lose their references to others, and what is
// counted of an account still goes with it. A migration afterwards leaves them as they are. That
// Citus takes them is not tried: it is not there.
func TestCountsWithoutReferences(t *testing.T) {
	t.Parallel()
	pool, url := testkit.DB(t)
	ddl := regexp.MustCompile(`SELECT create_distributed_table.*\n`).ReplaceAllString(codeUnder(t, "scaling.md", "## Citus"), "")
	if !strings.Contains(ddl, "CREATE TRIGGER") || strings.Contains(ddl, "create_distributed_table") {
		t.Fatalf("docs/scaling.md has another form:\n%s", ddl)
	}
	for _, sql := range []string{ddl, `
		INSERT INTO account.account (email, created_at, updated_at) SELECT x || '@exemple.fr', now(), now() FROM unnest('{a,b}'::text[]) x;
		INSERT INTO account.api_key (account_id, name, secret_hash, prefix, last4, created_at) SELECT id, 'k', sha256(email::bytea), 'p', 'l', now() FROM account.account;
		INSERT INTO account.usage (account_id, key_id, operation, status_class, day, requests, counted) SELECT account_id, id, 'o', 2, now(), 1, 1 FROM account.api_key;
		INSERT INTO account.quota_day (account_id, day, used) SELECT id, now(), 1 FROM account.account;
		INSERT INTO account.quota_notice (account_id, day, percent, sent_at) SELECT id, now(), 80, now() FROM account.account;
		INSERT INTO account.refusal (account_id, key_id, met, "limit", minute, first_at, last_at, requests) SELECT account_id, id, 'day', 1, now(), now(), now(), 1 FROM account.api_key;
		INSERT INTO account.usage_hour (account_id, key_id, operation, status_class, hour, requests) SELECT account_id, id, 'o', 2, now(), 1 FROM account.api_key;
		INSERT INTO account.recent_request (account_id, key_id, at, operation, status, micros, request_id, requests)
			SELECT account_id, id, now(), 'o', 200, 1, 'r', 1 FROM account.api_key;
		DELETE FROM account.account WHERE email = 'a@exemple.fr'`} {
		if _, err := pool.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%v\n%s", err, sql)
		}
	}
	const rest = `SELECT count(*) FROM (SELECT account_id FROM account.usage UNION ALL SELECT account_id FROM account.quota_day
		UNION ALL SELECT account_id FROM account.quota_notice UNION ALL SELECT account_id FROM account.refusal
		UNION ALL SELECT account_id FROM account.usage_hour UNION ALL SELECT account_id FROM account.recent_request) t JOIN account.account a ON a.id = t.account_id`
	if n := testkit.Count(t, pool, rest); n != 6 {
		t.Errorf("the other account has %d rows", n)
	}
	if n := testkit.Count(t, pool, strings.Replace(rest, "JOIN account.account a ON a.id = t.account_id", "", 1)); n != 6 {
		t.Errorf("%d rows are left of both", n)
	}
	testkit.NoError(t, pgdb.Migrate(t.Context(), url, testkit.Tables()))
	const kept = `SELECT count(*) FROM pg_class c WHERE relnamespace = 'account'::regnamespace AND relname IN ('usage', 'quota_day', 'quota_notice', 'refusal', 'usage_hour', 'recent_request')
		AND NOT relrowsecurity AND NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = c.oid AND contype = 'f')`
	if n := testkit.Count(t, pool, kept); n != 6 {
		t.Errorf("after a migration %d of 6 tables can be distributed", n)
	}
}
