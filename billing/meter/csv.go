package meter

import (
	"context"
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/base/clock"
	"arpent/app/base/ident"
)

//go:embed usage_csv.sql
var usageCSV string

// WriteCSV writes what an account did from one day to another, both included: one row a day, key, operation and class
// of status. A name that a spreadsheet would take for a formula is preceded by an apostrophe.
func WriteCSV(w io.Writer, ctx context.Context, db *pgxpool.Pool, account ident.AccountID, from, to clock.Date) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	if err := writeCSV(w, ctx, db, account, from, to); err != nil {
		return fmt.Errorf("export usage of account %d: %w", account, err)
	}
	return nil
}

func writeCSV(w io.Writer, ctx context.Context, db *pgxpool.Pool, account ident.AccountID, from, to clock.Date) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"day", "key", "operation", "status_class", "requests", "counted"}); err != nil {
		return err
	}
	rows, err := db.Query(ctx, usageCSV, account, int32(from), int32(to))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var (
			day               int32
			key, operation    string
			class             int16
			requests, counted int64
		)
		if err := rows.Scan(&day, &key, &operation, &class, &requests, &counted); err != nil {
			return err
		}
		err := out.Write([]string{clock.Date(day).String(), cell(key), cell(operation), strconv.Itoa(int(class)) + "xx",
			strconv.FormatInt(requests, 10), strconv.FormatInt(counted, 10)})
		if err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// cell keeps a text from being run by the spreadsheet that opens it. Full-width signs are taken for formulas too.
func cell(text string) string {
	if first := strings.TrimLeft(text, " \u00a0\u3000"); first != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", []rune(first)[0]) {
		return "'" + text
	}
	return text
}
