package pgdb_test

import (
	"context"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/dev/testkit"
	"arpent/internal/ident"
	"arpent/internal/pgdb"
)

// Each role does its work and no more.
func TestRoles(t *testing.T) {
	t.Parallel()
	_, address := testkit.DB(t)
	pools := map[pgdb.Role]*pgxpool.Pool{}
	for _, role := range []pgdb.Role{pgdb.Serve, pgdb.Load, pgdb.Read} {
		pools[role] = openPool(t, address, role)
	}
	for _, tc := range []struct {
		role pgdb.Role
		sql  string
		may  bool
	}{
		{pgdb.Serve, "SELECT count(*) FROM geo.parcel_block", true},
		{pgdb.Serve, "DELETE FROM geo.parcel_block", false},
		{pgdb.Serve, "INSERT INTO geo.region (code) VALUES ('99')", false},
		{pgdb.Serve, "TRUNCATE geo.load", false},
		{pgdb.Serve, "DROP TABLE geo.parcel_block", false},
		{pgdb.Serve, "CREATE TABLE geo.mine (a int)", false},
		{pgdb.Serve, "CREATE TABLE account.mine (a int)", false},
		{pgdb.Serve, "ALTER TABLE account.account DISABLE ROW LEVEL SECURITY", false},
		{pgdb.Serve, "DROP POLICY one_account ON account.api_key", false},
		{pgdb.Serve, "DELETE FROM account.session", true},
		{pgdb.Serve, "DELETE FROM job.river_job", true},
		{pgdb.Serve, "REINDEX INDEX job.river_job_pkey", true},
		{pgdb.Load, "DELETE FROM geo.parcel_block", true},
		{pgdb.Load, "CREATE TABLE geo.staged (a int)", true},
		{pgdb.Load, "DROP TABLE geo.staged", true},
		{pgdb.Load, "SELECT count(*) FROM account.account", false},
		{pgdb.Load, "SELECT count(*) FROM job.river_job", false},
		{pgdb.Read, "SELECT count(*) FROM geo.load", true},
		{pgdb.Read, "DELETE FROM geo.load", false},
		{pgdb.Read, "SELECT count(*) FROM account.api_key", false},
		{pgdb.Read, "SELECT count(*) FROM job.river_job", false},
	} {
		_, err := pools[tc.role].Exec(t.Context(), tc.sql)
		if tc.may && err != nil || !tc.may && !isDenied(err) {
			t.Errorf("%s: %s: %v", tc.role, tc.sql, err)
		}
	}
	// What is loaded later can be read by all.
	testkit.Exec(t, pools[pgdb.Load], "CREATE TABLE geo.later (a int)")
	for _, role := range []pgdb.Role{pgdb.Serve, pgdb.Read} {
		if _, err := pools[role].Exec(t.Context(), "SELECT FROM geo.later"); err != nil {
			t.Errorf("%s: %v", role, err)
		}
	}
}

// Every table that has rows of accounts is behind the wall, those of a later version too.
func TestEveryAccountTableIsBehindTheWall(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	const open = `SELECT coalesce(array_agg(relname::text), '{}') FROM pg_class c WHERE relnamespace = 'account'::regnamespace AND relkind = 'r' AND NOT relrowsecurity
		AND (relname = 'account' OR EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'account_id'))`
	var tables []string
	if err := pool.QueryRow(t.Context(), open).Scan(&tables); err != nil || len(tables) > 0 {
		t.Errorf("tables without row-level security: %v %v", tables, err)
	}
}

// What is done for an account sees and writes its rows alone, also on a connection that was another's before.
func TestForAccount(t *testing.T) {
	t.Parallel()
	admin, address := testkit.DB(t)
	testkit.Exec(t, admin, `INSERT INTO account.account (email, created_at, updated_at) SELECT x || '@exemple.fr', now(), now() FROM unnest('{a,b,c}'::text[]) x`)
	pool := openPool(t, address, pgdb.Serve)
	for _, account := range []ident.AccountID{1, 2, 0, 2, 1, 0, 3, 1} {
		ctx := pgdb.ForAccount(t.Context(), account)
		var seen []ident.AccountID
		testkit.NoError(t, pool.QueryRow(ctx, "SELECT array_agg(id ORDER BY id) FROM account.account").Scan(&seen))
		if account == 0 && len(seen) != 3 || account != 0 && (len(seen) != 1 || seen[0] != account) {
			t.Fatalf("for account %d: %v", account, seen)
		}
		tag, err := pool.Exec(ctx, "UPDATE account.account SET language = language WHERE id <> $1", account)
		if err != nil || account != 0 && tag.RowsAffected() != 0 {
			t.Errorf("for account %d: %d rows of others changed: %v", account, tag.RowsAffected(), err)
		}
	}
	_, err := pool.Exec(pgdb.ForAccount(t.Context(), 1), `INSERT INTO account.audit (account_id, at, actor, action, detail) VALUES (2, now(), 'account', 'x', '{}')`)
	if !isDenied(err) {
		t.Errorf("a row of another account: %v", err)
	}
	var all int
	if err := pool.QueryRow(pgdb.ForService(pgdb.ForAccount(t.Context(), 1)), "SELECT count(*) FROM account.account").Scan(&all); err != nil || all != 3 {
		t.Errorf("for the service: %d, %v", all, err)
	}
}

// A user who is no superuser migrates, and one who owns nothing and is a member of the roles serves.
func TestUsersOfTheirOwn(t *testing.T) {
	t.Parallel()
	_, address := testkit.DB(t)
	ctx := context.WithoutCancel(t.Context())
	at := testkit.Must(url.Parse(address))(t)
	name := at.Path[1:] + "_apart"
	execStatements(t, address, "CREATE ROLE "+name+"_owner LOGIN CREATEROLE", "CREATE ROLE "+name+"_server LOGIN", "CREATE DATABASE "+name+" OWNER "+name+"_owner")
	t.Cleanup(func() {
		conn, err := pgx.Connect(ctx, address)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close(ctx)
		for _, sql := range []string{"DROP DATABASE " + name + " WITH (FORCE)", "DROP ROLE " + name + "_owner", "DROP ROLE " + name + "_server"} {
			if _, err := conn.Exec(ctx, sql); err != nil {
				t.Error(err)
			}
		}
	})
	as := func(user string) string {
		u := *at
		u.Path, u.User = "/"+name, url.User(name+"_"+user)
		return u.String()
	}
	admin := *at
	admin.Path = "/" + name
	execStatements(t, admin.String(), "CREATE EXTENSION postgis")
	testkit.NoError(t, pgdb.Migrate(ctx, as("owner"), testkit.Tables()))
	if err := pgdb.Migrate(ctx, as("owner"), testkit.Tables()); err != nil {
		t.Errorf("a second time: %v", err)
	}
	execStatements(t, as("owner"), "REVOKE USAGE ON SCHEMA account FROM arpent_serve") // as in a database that was restored without its rights
	if pending, err := pgdb.Pending(ctx, as("owner"), testkit.Tables()); err != nil || !pending {
		t.Errorf("without rights the schema is pending: %v, %v", pending, err)
	}
	testkit.NoError(t, pgdb.Migrate(ctx, as("owner"), testkit.Tables()))
	execStatements(t, as("owner"), "GRANT arpent_serve, arpent_read TO "+name+"_server")
	if pending, err := pgdb.Pending(ctx, as("server"), testkit.Tables()); err != nil || pending {
		t.Errorf("to the server the schema is pending: %v, %v", pending, err)
	}
	for _, role := range []pgdb.Role{pgdb.Serve, pgdb.Read} {
		openPool(t, as("server"), role)
	}
	if _, err := pgdb.Open(ctx, as("server"), pgdb.Options{Role: pgdb.Load}); err == nil {
		t.Error("the server may load")
	}
	if _, err := openPool(t, as("owner"), pgdb.Load).Exec(ctx, "CREATE TABLE geo.more (a int); DROP TABLE geo.more; DELETE FROM geo.parcel_block"); err != nil {
		t.Error(err)
	}
}

// The database of the compose file makes a user for the server that may serve and read and nothing
// else, whatever characters its password has.
func TestServerUserOfCompose(t *testing.T) {
	t.Parallel()
	_, address := testkit.DB(t)
	at := testkit.Must(pgx.ParseConfig(address))(t)
	user, password := at.Database+"_server", "it's \"$HOME\" \\ :x"
	script := exec.CommandContext(t.Context(), filepath.Join(testkit.Root(t), "deploy/database/server-user.sh"))
	script.Env = append(os.Environ(), "PGHOST="+at.Host, "PGPORT="+strconv.Itoa(int(at.Port)), "PGPASSWORD="+at.Password, "POSTGRES_USER="+at.User,
		"POSTGRES_DB="+at.Database, "SERVER_USER="+user, "SERVER_PASSWORD="+password)
	if out, err := script.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Cleanup(func() {
		if conn, err := pgx.Connect(context.Background(), address); err == nil {
			defer conn.Close(context.Background())
			_, err = conn.Exec(context.Background(), "DROP ROLE "+user)
			if err != nil {
				t.Error(err)
			}
		}
	})
	as := url.URL{Scheme: "postgres", User: url.UserPassword(user, password), Path: "/" + at.Database,
		RawQuery: url.Values{"host": {at.Host}, "port": {strconv.Itoa(int(at.Port))}}.Encode()}
	for _, role := range []pgdb.Role{pgdb.Serve, pgdb.Read} {
		openPool(t, as.String(), role)
	}
	if _, err := pgdb.Open(t.Context(), as.String(), pgdb.Options{Role: pgdb.Load}); err == nil {
		t.Error("the server may load")
	}
	conn, err := pgx.Connect(t.Context(), address)
	testkit.NoError(t, err)
	defer conn.Close(t.Context())
	var powers, owns bool
	var kept string
	err = conn.QueryRow(t.Context(), `SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls, rolpassword,
		EXISTS (SELECT FROM pg_class WHERE relowner = r.oid) FROM pg_authid r WHERE rolname = $1`, user).Scan(&powers, &kept, &owns)
	if err != nil || powers || owns || !isPassword(kept, password) {
		t.Errorf("powers %t, owns %t, kept %q, %v", powers, owns, kept, err)
	}
}

// isPassword reports whether what PostgreSQL keeps (RFC 5803) is of that password.
func isPassword(kept, password string) bool {
	method, rest, _ := strings.Cut(kept, "$")
	salted, keys, _ := strings.Cut(rest, "$")
	count, salt64, _ := strings.Cut(salted, ":")
	rounds, _ := strconv.Atoi(count)
	salt, err := base64.StdEncoding.DecodeString(salt64)
	if method != "SCRAM-SHA-256" || err != nil || rounds == 0 {
		return false
	}
	derived, err := pbkdf2.Key(sha256.New, password, salt, rounds, sha256.Size)
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, derived)
	mac.Write([]byte("Client Key"))
	stored := sha256.Sum256(mac.Sum(nil))
	return strings.HasPrefix(keys, base64.StdEncoding.EncodeToString(stored[:])+":")
}

func openPool(t *testing.T, url string, role pgdb.Role) *pgxpool.Pool {
	t.Helper()
	pool, err := pgdb.Open(t.Context(), url, pgdb.Options{MaxConns: 1, AppName: t.Name(), Role: role})
	testkit.NoError(t, err)
	t.Cleanup(pool.Close)
	return pool
}

func execStatements(t *testing.T, url string, statements ...string) {
	t.Helper()
	conn := testkit.Must(pgx.Connect(t.Context(), url))(t)
	defer conn.Close(t.Context())
	for _, sql := range statements {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(sql, err)
		}
	}
}

func isDenied(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "42501"
}
