package checks_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
)

// Statements that look at a distributed table as a whole, by the words that distinguish them: they run twice
// a minute at most, outside of requests, and every shard answers for its rows.
var wholeTables = []string{
	"SELECT account_id, used FROM account.quota_day WHERE day =", // what is left of today, when an instance starts and after each outage
	"DELETE FROM account.quota_notice WHERE sent_at <= $1",
	"DELETE FROM account.refusal WHERE minute <= $1",
	"DELETE FROM account.usage_hour WHERE hour <= $1",
	"DELETE FROM account.recent_request WHERE at <= $1",
}

var distributed = regexp.MustCompile(`create_distributed_table\('(account\.\w+)', 'account_id'`)

// What outgrows one PostgreSQL can be distributed over several by Citus: every statement on a table
// that docs/scaling.md distributes names the distribution column, and so goes to the one shard that has
// the account, but for those that are listed.
func TestStatementsNameTheDistributionColumn(t *testing.T) {
	t.Parallel()
	var tables []string
	for _, m := range distributed.FindAllStringSubmatch(projectFile(t, "docs/scaling.md"), -1) {
		tables = append(tables, strings.TrimPrefix(m[1], "account."))
	}
	if len(tables) < 3 {
		t.Fatalf("docs/scaling.md distributes %v", tables)
	}
	seen, whole := 0, map[string]bool{}
	for where, sql := range statementsOf(t) {
		n, faults := undistributed(sql, tables)
		seen += n
		if len(faults) == 0 {
			continue
		}
		i := slices.IndexFunc(wholeTables, func(known string) bool { return strings.Contains(strings.Join(strings.Fields(sql), " "), known) })
		if i < 0 {
			t.Errorf("%s: %v\n%s", where, faults, sql)
		} else {
			whole[wholeTables[i]] = true
		}
	}
	t.Logf("%d uses of %v", seen, tables)
	if seen < 15 {
		t.Errorf("only %d uses of distributed tables were found", seen)
	}
	for _, known := range wholeTables {
		if !whole[known] {
			t.Errorf("no statement looks at a whole table with %q", known)
		}
	}
}

// The check itself finds what it is there for.
func TestUndistributed(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]int{
		"SELECT used FROM account.quota_day WHERE account_id = $1 AND day = $2":                                0,
		"SELECT used FROM account.quota_day WHERE day = $1":                                                    1,
		"SELECT 1 FROM account.account a JOIN account.usage AS u ON u.account_id = a.id":                       0,
		"SELECT 1 FROM account.account a JOIN account.usage AS u ON u.key_id = a.id":                           1,
		"SELECT 1 FROM account.usage u JOIN account.api_key k ON k.account_id = u.account_id":                  0,
		"SELECT 1 FROM account.usage u JOIN account.usage v ON v.day = u.day WHERE u.account_id = $1":          1,
		"INSERT INTO account.usage AS u (account_id, day) SELECT $1, $2":                                       0,
		"INSERT INTO account.usage (day) SELECT $1":                                                            1,
		"UPDATE account.usage SET counted = 0 WHERE account_id <> $1":                                          1,
		"DELETE FROM account.usage WHERE account_id = $1":                                                      0,
		"SELECT 1 FROM account.session WHERE id = $1":                                                          0,
		"SELECT (SELECT sum(u.counted) FROM account.usage u WHERE u.account_id = a.id) FROM account.account a": 0,
	} {
		if _, faults := undistributed(sql, []string{"usage", "quota_day"}); len(faults) != want {
			t.Errorf("%s: %v", sql, faults)
		}
	}
}

// undistributed counts the uses of the tables in a statement, and gives those whose account is not named.
func undistributed(sql string, tables []string) (uses int, faults []string) {
	if !strings.Contains(sql, "account.") {
		return 0, nil
	}
	use := regexp.MustCompile(`(?i)\b(FROM|JOIN|UPDATE|INTO|USING)\s+account\.(` + strings.Join(tables, "|") + `)\b(?:\s+(?:AS\s+)?([a-z]\w?)\b)?(?:\s*\(([^)]*)\))?`)
	for _, m := range use.FindAllStringSubmatch(sql, -1) {
		uses++
		alias := m[3]
		named := regexp.MustCompile(`(?:^|[^.\w])account_id = [$\w]`)
		if alias != "" {
			named = regexp.MustCompile(`\b` + alias + `\.account_id = |= ` + alias + `\.account_id\b`)
		}
		ok := named.MatchString(sql)
		if strings.EqualFold(m[1], "INTO") {
			ok = strings.HasPrefix(strings.TrimSpace(m[4]), "account_id")
		}
		if !ok {
			faults = append(faults, strings.TrimSpace(m[0]))
		}
	}
	return uses, faults
}

// notServed matches the files whose statements the service does not run.
var notServed = regexp.MustCompile(`^(migrations|clients|docs|app/dev|app/tests)/|_(test|templ)\.go$`)

// statementsOf are the texts of the service that may be SQL: the files, and what stands in Go, where texts
// that are added up are one.
func statementsOf(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	eachFile(t, os.DirFS(testkit.Root(t)), func(path string) bool {
		return slices.Contains([]string{".go", ".sql"}, filepath.Ext(path)) && !notServed.MatchString(path)
	}, func(path, text string) {
		switch {
		case filepath.Ext(path) == ".sql":
			out[path] = text
			return
		case !strings.Contains(text, " account."):
			return
		}
		set := token.NewFileSet()
		file := testkit.Must(parser.ParseFile(set, path, text, parser.SkipObjectResolution))(t)
		ast.Inspect(file, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			literal, ok := added(e)
			if ok {
				out[set.Position(n.Pos()).String()] = literal
			}
			return !ok
		})
	})
	return out
}

// added is the text of a literal, or of several that are added up; names between them are left out.
func added(e ast.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		left, isLeft := added(e.X)
		right, isRight := added(e.Y)
		return left + right, e.Op == token.ADD && (isLeft || isRight)
	}
	return "", false
}
