package migrations_test

import (
	"database/sql"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"arpent/app/dev/testkit"
	"arpent/migrations"
)

// A server with 1 000 accounts gets organisations while the version before runs: every row stays as it is, what that
// version writes is accepted on the new schema, and its sign-up finds the address of no organisation.
func TestOrganisationsComeToAnExistingDatabase(t *testing.T) {
	t.Parallel()
	pool, url := testkit.DB(t)
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	p, err := goose.NewProvider(goose.DialectPostgres, db, migrations.Files)
	if err != nil {
		t.Fatal(err)
	}
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
	if n := testkit.Count(t, pool, `SELECT count(*) FROM account.account WHERE lower(email) = '1@exemple.fr'`); n != 1 {
		t.Errorf("%d accounts have the address of a person who is the contact of an organisation", n)
	}
	if n := testkit.Count(t, pool, `SELECT count(*) FROM account.account WHERE kind = 'person'`); n != 1000 {
		t.Errorf("%d persons", n)
	}
}
