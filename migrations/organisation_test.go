package migrations_test

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"arpent/app/dev/testkit"
	"arpent/migrations"
)

// A server with 1 000 accounts gets organisations while the version before runs: every row stays as it is,
// what that version writes is accepted on the new schema, and its sign-up finds the address of no
// organisation.
func TestOrganisationsComeToAnExistingDatabase(t *testing.T) {
	t.Parallel()
	pool, url := testkit.DB(t)
	db := testkit.Must(sql.Open("pgx", url))(t)
	defer db.Close()
	p := testkit.Must(goose.NewProvider(goose.DialectPostgres, db, migrations.Files))(t)
	exec := func(sql string) {
		t.Helper()
		if _, err := pool.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	const organisations = 45
	if _, err := p.DownTo(t.Context(), organisations-1); err != nil {
		t.Fatal(err)
	}
	exec(`INSERT INTO account.account (email, password_hash, email_confirmed_at, created_at, updated_at)
		SELECT n || '@exemple.fr', 'hash', now(), now(), now() FROM generate_series(1, 1000) n`)
	exec(`INSERT INTO account.api_key (account_id, name, secret_hash, prefix, last4, created_at)
		SELECT id, 'k' || n, sha256((id || '-' || n)::bytea), 'arp_1234', '5678', now() FROM account.account, generate_series(1, 5) n`)
	exec(`INSERT INTO account.session (account_id, token_hash, method, authenticated_at, created_at, last_used_at, expires_at)
		SELECT id, sha256(id::text::bytea), 'password', now(), now(), now(), now() + interval '1 day' FROM account.account`)
	before := testkit.Count(t, pool, `SELECT sum(hashtext(a.id || email || password_hash || plan))::bigint FROM account.account a`)
	began := time.Now()
	if _, err := p.UpTo(t.Context(), organisations); err != nil {
		t.Fatal(err)
	}
	t.Logf("1 000 accounts with 5 000 keys: %s, tables of %d kB", time.Since(began).Round(time.Millisecond),
		testkit.Count(t, pool, `SELECT (pg_total_relation_size('account.account') + pg_total_relation_size('account.api_key') + pg_total_relation_size('account.session')) / 1024`))
	if after := testkit.Count(t, pool, `SELECT sum(hashtext(a.id || email || password_hash || plan))::bigint FROM account.account a WHERE kind = 'person'`); after != before {
		t.Error("the migration changed an account")
	}
	exec(`INSERT INTO account.account (kind, name, email, contact_email, email_confirmed_at, created_at, updated_at)
		VALUES ('organisation', 'Alpha', gen_random_uuid() || '@organisation.invalid', '1@exemple.fr', now(), now(), now())`)

	// As the version before writes.
	exec(`INSERT INTO account.account (email, password_hash, language, created_at, updated_at) VALUES ('1@exemple.fr', 'x', 'fr', now(), now())
		ON CONFLICT (lower(email)) DO NOTHING`)
	exec(`INSERT INTO account.account (email, password_hash, language, created_at, updated_at) VALUES ('new@exemple.fr', 'x', 'fr', now(), now())
		ON CONFLICT (lower(email)) DO NOTHING`)
	exec(`INSERT INTO account.api_key (account_id, name, kind, secret_hash, prefix, last4, refuse_in_query, created_at)
		SELECT id, 'new', 'integration', sha256('new'), 'arp_1234', '5678', false, now() FROM account.account WHERE email = 'new@exemple.fr'`)
	exec(`DELETE FROM account.account WHERE email = '2@exemple.fr'`)
	// It cannot take the owner of an organisation away, which would go on to pay without any member.
	exec(`INSERT INTO account.member (account_id, person_id, role, created_at) SELECT o.id, p.id, 'owner', now()
		FROM account.account o, account.account p WHERE o.name = 'Alpha' AND p.email = '3@exemple.fr'`)
	if _, err := pool.Exec(t.Context(), `DELETE FROM account.account WHERE email = '3@exemple.fr'`); err == nil {
		t.Error("a person was deleted who is the owner of an organisation")
	}
	testkit.WantCount(t, pool, 1, "members", `SELECT count(*) FROM account.member`)
	if n := testkit.Count(t, pool, `SELECT count(*) FROM account.account WHERE lower(email) = '1@exemple.fr'`); n != 1 {
		t.Errorf("%d accounts have the address of a person who is the contact of an organisation", n)
	}
	testkit.WantCount(t, pool, 1000, "persons", `SELECT count(*) FROM account.account WHERE kind = 'person'`)
}

// servedBefore are statements of version 45, which runs while the migrations that follow it do: a page, the
// keys of a new process, a flush of the counters, a sign-up, a sign-in, a new key and a reading of Stripe. $1
// is a number from 1 to 1000.
var servedBefore = map[string]string{
	"session": `SELECT o.plan, a.email_confirmed_at IS NOT NULL, a.factor_recovery_due_at, o.quota_percents, s.method, m.role
		FROM account.session s JOIN account.account a ON a.id = s.account_id
		LEFT JOIN account.member m ON m.account_id = s.organisation_id AND m.person_id = s.account_id
		JOIN account.account o ON o.id = coalesce(m.account_id, a.id) WHERE s.token_hash = sha256($1::bigint::text::bytea) AND s.expires_at > now()`,
	"keys": `SELECT k.id, k.account_id, k.refuse_in_query, k.paused_at IS NOT NULL, k.networks, k.secret_hash, a.plan, a.per_minute
		FROM account.api_key k JOIN account.account a ON a.id = k.account_id WHERE k.revoked_at IS NULL AND k.account_id = $1::bigint`,
	"quota": `INSERT INTO account.quota_day AS q (account_id, day, used) SELECT id, current_date, 1 FROM account.account WHERE id = $1::bigint
		ON CONFLICT (account_id, day) DO UPDATE SET used = q.used + 1`,
	"usage": `INSERT INTO account.usage AS u (account_id, key_id, operation, status_class, day, requests, counted)
		SELECT account_id, id, 'get_commune', 2, current_date, 1, 1 FROM account.api_key WHERE account_id = $1::bigint AND name = 'k1'
		ON CONFLICT (account_id, day, key_id, operation, status_class) DO UPDATE SET requests = u.requests + 1, counted = u.counted + 1`,
	"sign-up": `INSERT INTO account.account (email, password_hash, language, created_at, updated_at)
		VALUES ($1::bigint || '-' || gen_random_uuid() || '@exemple.fr', 'x', 'fr', now(), now()) ON CONFLICT (lower(email)) DO NOTHING`,
	"sign-in": `INSERT INTO account.session (account_id, token_hash, method, authenticated_at, created_at, last_used_at, expires_at, organisation_id)
		VALUES ($1::bigint, sha256(gen_random_uuid()::text::bytea), 'password', now(), now(), now(), now() + interval '1 day',
			(SELECT organisation_id FROM account.session WHERE account_id = $1::bigint ORDER BY last_used_at DESC, id DESC LIMIT 1))`,
	"recovery code": `UPDATE account.recovery_code SET used_at = now() WHERE account_id = $1::bigint AND code_hash = sha256('1') AND used_at IS NULL`,
	"key": `INSERT INTO account.api_key (account_id, name, kind, secret_hash, prefix, last4, refuse_in_query, created_at, created_by, personal)
		VALUES ($1::bigint, 'new', 'integration', sha256(gen_random_uuid()::text::bytea), 'arp_1234', '5678', false, now(), $1::bigint, false)`,
	"subscription": `UPDATE account.subscription SET status = 'active', period_end = period_end, cancel_at_period_end = false, next_plan = NULL,
		read_at = now(), updated_at = now() WHERE account_id = $1::bigint`,
	"plan page": `SELECT a.plan, s.customer_id, s.status, s.period_end FROM account.account a LEFT JOIN account.subscription s ON s.account_id = a.id WHERE a.id = $1::bigint`,
}

// A server with 1 000 accounts and 5 000 keys comes from version 45 to the present one while version 45
// serves: none of its statements fails, and what was there is as it was. How long they took is in the log of
// the test.
func TestSimultaneousUpgradeOfAThousandAccounts(t *testing.T) {
	t.Parallel()
	const from = 45
	pool, url := testkit.DB(t)
	db := testkit.Must(sql.Open("pgx", url))(t)
	defer db.Close()
	p := testkit.Must(goose.NewProvider(goose.DialectPostgres, db, migrations.Files))(t)
	if _, err := p.DownTo(t.Context(), from); err != nil {
		t.Fatal(err)
	}
	for _, fill := range []string{
		`INSERT INTO account.account (email, password_hash, email_confirmed_at, created_at, updated_at)
			SELECT n || '@exemple.fr', 'hash', now(), now(), now() FROM generate_series(1, 1000) n`,
		`INSERT INTO account.account (kind, name, email, contact_email, email_confirmed_at, created_at, updated_at)
			SELECT 'organisation', 'Alpha ' || n, n || '@organisation.invalid', n || '@exemple.fr', now(), now(), now() FROM generate_series(1, 50) n`,
		`INSERT INTO account.member (account_id, person_id, role, created_at) SELECT o.id, p.id, 'owner', now()
			FROM account.account o JOIN account.account p ON p.email = o.contact_email WHERE o.kind = 'organisation'`,
		`INSERT INTO account.api_key (account_id, name, secret_hash, prefix, last4, created_at, created_by)
			SELECT id, 'k' || n, sha256((id || '-' || n)::bytea), 'arp_1234', '5678', now(), id FROM account.account, generate_series(1, 5) n WHERE kind = 'person'`,
		`INSERT INTO account.session (account_id, token_hash, method, authenticated_at, created_at, last_used_at, expires_at)
			SELECT id, sha256(id::text::bytea), 'password', now(), now(), now(), now() + interval '1 day' FROM account.account WHERE kind = 'person'`,
		`INSERT INTO account.recovery_code (account_id, code_hash) SELECT id, sha256(n::text::bytea) FROM account.account, generate_series(1, 10) n WHERE kind = 'person'`,
		`INSERT INTO account.usage (account_id, key_id, operation, status_class, day, requests, counted)
			SELECT account_id, id, 'get_commune', 2, current_date - n, 10, 10 FROM account.api_key, generate_series(1, 30) n WHERE name = 'k1'`,
		`INSERT INTO account.audit (account_id, at, actor, action) SELECT id, now(), 'account', 'signed_in' FROM account.account, generate_series(1, 20)`,
		`INSERT INTO account.subscription (account_id, customer_id, subscription_id, plan, status, period_end, updated_at)
			SELECT id, 'cus_' || id, 'sub_' || id, 'pro', 'active', now() + interval '20 days', now() FROM account.account WHERE kind = 'person' AND id % 3 = 0`,
	} {
		if _, err := pool.Exec(t.Context(), fill); err != nil {
			t.Fatalf("%s: %v", fill, err)
		}
	}
	sum := func() int {
		t.Helper()
		return testkit.Count(t, pool, `SELECT (SELECT sum(hashtext(concat(id, email, password_hash, plan, kind, name, contact_email)))::bigint FROM account.account WHERE email ~ '^[0-9]+@')
			+ (SELECT sum(hashtext(concat(id, account_id, name, encode(secret_hash, 'hex'), created_by, personal)))::bigint FROM account.api_key WHERE name ~ '^k[0-9]$')
			+ (SELECT sum(hashtext(concat(account_id, customer_id, subscription_id, plan)))::bigint FROM account.subscription)`)
	}
	size := func() int {
		t.Helper()
		return testkit.Count(t, pool, `SELECT sum(pg_total_relation_size(oid))::bigint / 1024 FROM pg_class WHERE relnamespace = 'account'::regnamespace AND relkind = 'r'`)
	}
	before := sum()
	ctx, cancel := context.WithCancel(t.Context())
	var (
		wait    sync.WaitGroup
		mu      sync.Mutex
		calls   = map[string]int{}
		longest = map[string]time.Duration{}
	)
	for name, statement := range servedBefore {
		wait.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				began := time.Now()
				if _, err := pool.Exec(context.WithoutCancel(ctx), statement, n%1000+1); err != nil {
					t.Errorf("version 45, %s: %v", name, err)
					return
				}
				took := time.Since(began)
				mu.Lock()
				calls[name]++
				longest[name] = max(longest[name], took)
				mu.Unlock()
			}
		})
	}
	for {
		was := size()
		began := time.Now()
		result, err := p.UpByOne(t.Context())
		if errors.Is(err, goose.ErrNoNextVersion) {
			break
		}
		testkit.NoError(t, err)
		t.Logf("%s: %s, schema account from %d to %d kB", result.Source.Path, time.Since(began).Round(time.Millisecond), was, size())
	}
	cancel()
	wait.Wait()
	for _, name := range slices.Sorted(maps.Keys(servedBefore)) {
		t.Logf("%s: %d calls, the longest took %s", name, calls[name], longest[name].Round(time.Millisecond))
		if calls[name] == 0 {
			t.Errorf("%s: no call was made meanwhile: the test shows nothing", name)
		}
	}
	if after := sum(); after != before {
		t.Error("the migrations changed what was there")
	}
}
