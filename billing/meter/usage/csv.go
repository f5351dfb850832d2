package usage

import (
	"context"
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/clock"
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
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	out := csv.NewWriter(w) // keeps its first error for the end
	_ = out.Write([]string{"day", "key", "operation", "status_class", "requests", "counted", "outcome"})
	var (
		id                ident.KeyID
		day               clock.Date
		key, operation    string
		class             int16
		requests, counted int64
	)
	err := forEachRow(ctx, db, []any{&id, &day, &key, &operation, &class, &requests, &counted}, func() {
		if !filter.matchesRequest(id, operation, class) {
			return
		}
		_ = out.Write([]string{day.String(), escapeCell(key), escapeCell(operation),
			strconv.Itoa(int(class)) + "xx",
			strconv.FormatInt(requests, 10), strconv.FormatInt(counted, 10), word(OutcomeOf(class))})
	}, usageCSV, account, int32(from), int32(to))
	out.Flush()
	if err == nil {
		err = out.Error()
	}
	if err != nil {
		return fmt.Errorf("export usage of account %d: %w", account, err)
	}
	return nil
}

// escapeCell keeps a text from being run by the spreadsheet that opens it.
// Full-width signs are taken for formulas too.
func escapeCell(text string) string {
	if first := strings.TrimLeft(text, " \u00a0\u3000"); first != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠",
		[]rune(first)[0]) {
		return "'" + text
	}
	return text
}
