package usage

import (
	"context"
	_ "embed"
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
)

//go:embed usage_csv.sql
var usageCSV string

// WriteCSV writes what an account did from one day to another, both included: one row a day, key, operation
// and class of status, with the word for its outcome. A name that a spreadsheet would take for a formula is
// preceded by an apostrophe.
func WriteCSV(w io.Writer, ctx context.Context, db *pgxpool.Pool, account ident.AccountID, from,
	to clock.Date,
	filter Filter, word func(Outcome) string) error {
	out := csv.NewWriter(w) // keeps its first error for the end
	_ = out.Write([]string{"day", "key", "operation", "status_class", "requests", "counted", "outcome"})
	err := EachRow(ctx, db, account, from, to, filter, func(r Row) {
		_ = out.Write([]string{r.Day.String(), EscapeCell(r.Name), EscapeCell(r.Operation),
			strconv.Itoa(int(r.StatusClass)) + "xx",
			strconv.FormatInt(r.Requests, 10), strconv.FormatInt(r.Counted, 10),
			word(OutcomeOf(r.StatusClass))})
	})
	out.Flush()
	if err == nil {
		err = fault.Wrap("write usage as a file", out.Error())
	}
	return err
}

// Row is what an account did on one day with one key and one operation, with answers of one class.
type Row struct {
	Key         ident.KeyID // 0: the console, which is no key
	Day         clock.Date
	Name        string // of the key
	Operation   string
	StatusClass int16 // 1 to 5
	Requests    int64 // answered, rejected ones included
	Counted     int64 // against the quota
}

// EachRow calls each for every row of what an account did from one day to another, both included, by day
// and key.
func EachRow(ctx context.Context, db *pgxpool.Pool, account ident.AccountID, from, to clock.Date,
	filter Filter,
	each func(Row)) error {
	var r Row
	into := []any{&r.Key, &r.Day, &r.Name, &r.Operation, &r.StatusClass, &r.Requests, &r.Counted}
	return forEachRow(ctx, db, "export usage", account, into, func() {
		if filter.matchesRequest(r.Key, r.Operation, r.StatusClass) {
			each(r)
		}
	}, usageCSV, int32(from), int32(to))
}

const countedOfDays = `
SELECT coalesce(sum(used), 0)::bigint FROM account.quota_day
WHERE account_id = $1 AND day >= DATE '1970-01-01' + $2::int AND day < DATE '1970-01-01' + $3::int`

// ReadCounted returns how many requests counted against the quota of an account from one day until before
// another.
func ReadCounted(ctx context.Context, db *pgxpool.Pool, account ident.AccountID, from, before clock.Date) (
	n int64, err error) {
	err = forEachRow(ctx, db, "read the counted requests", account, []any{&n}, func() {}, countedOfDays,
		int32(from),
		int32(before))
	return n, err
}

// EscapeCell escapes a text that a spreadsheet would run as a formula, also one that begins with a full-width
// sign.
func EscapeCell(text string) string {
	if first := strings.TrimLeft(text, " \u00a0\u3000"); first != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠",
		[]rune(first)[0]) {
		return "'" + text
	}
	return text
}
