package attack_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/internal/ident"
	"arpent/internal/pgdb"
)

// statements are those that ran for one account, once each, with the arguments they had.
type statements struct {
	mu   sync.Mutex
	args map[string][]any
}

func (s *statements) TraceQueryStart(ctx context.Context, conn *pgx.Conn, d pgx.TraceQueryStartData) context.Context {
	if acting, _ := conn.PgConn().CustomData()["account"].(ident.AccountID); acting != 0 {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.args[d.SQL] = slices.Clone(d.Args)
	}
	return ctx
}

func (*statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// namesTheAccount is how a statement says whose rows it is about; tables that are
// named by an id have it only together with one of these.
var namesTheAccount = regexp.MustCompile(`\b(?:\w+\.)?account_id = (\$\d+)`)

// Row-level security is a wall of its own: every statement that runs for an account,
// robbed of what names the account, still reads and changes nothing of another. Without it
// most of them do, or the test would show nothing.
func TestStatementsThatForgetTheAccount(t *testing.T) {
	t.Parallel()
	seen := &statements{args: map[string][]any{}}
	s := fixture.TracedPortal(t, seen, nil)
	a, b := s.SignUp("a@exemple.fr"), s.SignUp("b@exemple.fr")
	for _, c := range []*testkit.Browser{a, b} {
		c.Submit(c.Get("/account/keys/new"), "/account/keys/new", "name", "mine")
		c.Submit(c.Get("/account/keys/new"), "/account/keys/new", "name", "another")
	}
	s.Exec(`INSERT INTO account.identity (account_id, provider, subject, created_at)
		SELECT id, 'github', 'subject of ' || id, now() FROM account.account`)
	everyPage(s, a, idsOf(s, "a@exemple.fr"))
	var mine, other ident.AccountID
	testkit.NoError(t, s.Pool.QueryRow(t.Context(), `SELECT (SELECT id FROM account.account WHERE email = 'a@exemple.fr'),
		(SELECT id FROM account.account WHERE email = 'b@exemple.fr')`).Scan(&mine, &other))
	twins := twinsOf(s, mine, other)
	robbed, crossed := 0, 0
	for sql, args := range seen.args {
		forgetful := namesTheAccount.ReplaceAllString(sql, "$1::bigint IS NOT NULL")
		if forgetful == sql {
			continue
		}
		robbed++
		open := false
		for _, args := range [][]any{args, exchanged(args, twins)} {
			if got := reaches(s, mine, other, forgetful, args); got != "" {
				t.Errorf("reaches another account: %s\n%s", got, forgetful)
			}
			open = open || reaches(s, 0, other, forgetful, args) != ""
		}
		if open {
			crossed++
		}
	}
	t.Logf("%d of %d statements name the account; %d of them reach another account without the wall", robbed, len(seen.args), crossed)
	if robbed < 25 || crossed < 10 {
		t.Errorf("the test shows little: %d statements, %d of which would reach another account", robbed, crossed)
	}
}

// twinsOf gives for each object of one account one of the same kind that the other has.
func twinsOf(s *fixture.Site, mine, other ident.AccountID) map[int64]int64 {
	s.T.Helper()
	twins := map[int64]int64{}
	for _, table := range []string{"api_key", "session", "identity"} {
		rows, err := s.Pool.Query(s.T.Context(), `SELECT a.id, b.id
			FROM (SELECT id, row_number() OVER (ORDER BY id) n FROM account.`+table+` WHERE account_id = $1) a
			JOIN (SELECT id, row_number() OVER (ORDER BY id) n FROM account.`+table+` WHERE account_id = $2) b USING (n)`, mine, other)
		testkit.NoError(s.T, err)
		var a, b int64
		_, err = pgx.ForEachRow(rows, []any{&a, &b}, func() error { twins[a] = b; return nil })
		testkit.NoError(s.T, err)
	}
	return twins
}

// exchanged are arguments with the ids of another account's objects in place of our own.
func exchanged(args []any, twins map[int64]int64) []any {
	out := slices.Clone(args)
	for i, arg := range args {
		v := reflect.ValueOf(arg)
		if v.IsValid() && v.Kind() == reflect.Int64 {
			if twin, ok := twins[v.Int()]; ok {
				out[i] = reflect.ValueOf(twin).Convert(v.Type()).Interface()
			}
		}
	}
	return out
}

// everyPage opens every page of an account and sends every form, with what they name.
func everyPage(s *fixture.Site, c *testkit.Browser, ids []string) {
	s.T.Helper()
	token := c.Token()
	for _, method := range []string{fiber.MethodGet, fiber.MethodPost} {
		for _, route := range portalRoutes(s, method) {
			if !strings.HasPrefix(route, "/account") || strings.HasSuffix(route, "/signout") || strings.Contains(route, "delete") {
				continue
			}
			for _, id := range ids {
				path := filled(route, id)
				var form url.Values
				if method == fiber.MethodPost {
					form = url.Values{"token": {token}, "name": {"renamed"}, "overlap": {"0"}, "expires": {"never"}, "per_day": {"5"},
						"language": {"en"}, "quota_mails": {"on"}, "password": {fixture.Password}, "code": {"000000"}}
				}
				if p := c.Send(method, path, form, "Sec-Fetch-Site", "same-origin"); p.Status == http.StatusInternalServerError {
					s.T.Errorf("%s %s: %d", method, path, p.Status)
				}
				if path == route {
					break
				}
			}
		}
	}
}

// reaches runs a statement for one account, 0 for the service, and says what it read or changed of another: a
// read is one that finds less once the other is gone. What it does is undone.
func reaches(s *fixture.Site, acting, other ident.AccountID, sql string, args []any) (what string) {
	s.T.Helper()
	with, changed := outcome(s, acting, other, "", sql, args)
	if changed {
		return "its rows are others than before"
	}
	without, _ := outcome(s, acting, other, "DELETE FROM account.account WHERE id = $1", sql, args)
	if with != without {
		return fmt.Sprintf("%s with it, %s without", with, without)
	}
	return ""
}

// outcome is what a statement returns and how many rows it touches, and whether
// the other account's rows are others after it.
func outcome(s *fixture.Site, acting, other ident.AccountID, before, sql string, args []any) (result string, changed bool) {
	s.T.Helper()
	tx, err := s.Pool.Begin(s.T.Context()) // the user of the tests may take any role and leave it
	testkit.NoError(s.T, err)
	defer tx.Rollback(context.WithoutCancel(s.T.Context()))
	if before != "" {
		testkit.Exec(s.T, tx, before, other)
	}
	was := rowsOfID(s, tx, other)
	testkit.Exec(s.T, tx, "SET LOCAL ROLE "+string(pgdb.Serve))
	if acting != 0 {
		testkit.Exec(s.T, tx, "SELECT set_config('arpent.account', $1, true)", fmt.Sprint(acting))
	}
	rows, err := tx.Query(s.T.Context(), sql, args...)
	if err == nil {
		var all []map[string]any
		all, err = pgx.CollectRows(rows, pgx.RowToMap)
		result = fmt.Sprint(all, rows.CommandTag().RowsAffected())
	}
	if err != nil { // such as a row that is there already: the statement has done nothing
		return "", false
	}
	testkit.Exec(s.T, tx, "RESET ROLE")
	return result, rowsOfID(s, tx, other) != was
}

// rowsOfID is all that is kept of one account, in every table.
func rowsOfID(s *fixture.Site, tx pgx.Tx, id ident.AccountID) (text string) {
	s.T.Helper()
	rows, err := tx.Query(s.T.Context(), `SELECT relname::text, CASE relname WHEN 'account' THEN 'id' ELSE 'account_id' END
		FROM pg_class WHERE relnamespace = 'account'::regnamespace AND relkind = 'r' AND relrowsecurity ORDER BY 1`)
	testkit.NoError(s.T, err)
	tables, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct{ Name, Key string }])
	if err != nil || len(tables) < 12 {
		s.T.Fatalf("%d tables are under row-level security: %v", len(tables), err)
	}
	for _, table := range tables {
		var content string
		sql := fmt.Sprintf(`SELECT coalesce(string_agg(r::text, E'\n' ORDER BY r::text), '') FROM account.%s r WHERE %s = $1`, table.Name, table.Key)
		testkit.NoError(s.T, tx.QueryRow(s.T.Context(), sql, id).Scan(&content))
		text += table.Name + "\n" + content + "\n"
	}
	return text
}
