package ingest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/internal/fault"
	"arpent/internal/opendata/source"
	"arpent/internal/pgdb"
)

// loadRow is a row of geo.load.
type loadRow struct {
	group
	src     source.Source
	rows    int64
	filled  []string    // see filledColumns
	next    []successor // that hold the rows; nil: they are to be merged
	refused *rejections
	started time.Time
	worse   *WorseError // than what is served, and wanted all the same
}

// lockSwap keeps loads that run side by side from writing at the same time, where
// one may look at or change rows of another.
const lockSwap = `SELECT pg_advisory_xact_lock(hashtextextended('arpent swap ' || $1, 0))`

// swapRows activates the prepared rows and records the load, in one transaction. Readers see what was
// there until it ends, and wait for nothing.
func swapRows(ctx context.Context, conn *pgx.Conn, group string, l loadRow, now time.Time) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		// Each load replaces the rows of its own part, or has a script that locks what they share; others take
		// turns.
		if slices.ContainsFunc(targetsOf(l.src), func(t source.Target) bool {
			return !t.Part && t.Swap == "" || t.After != ""
		}) {
			if _, err := tx.Exec(ctx, lockSwap, group); err != nil {
				return fmt.Errorf("wait for the concurrent loads of the group: %w", err)
			}
		}
		if err := l.insertLoadRow(ctx, tx, now); err != nil {
			return fmt.Errorf("record the load: %w", err)
		}
		if err := l.replaceOverlapping(ctx, tx); err != nil {
			return fmt.Errorf("take overlapping loads out: %w", err)
		}
		if err := l.serveRows(ctx, tx); err != nil {
			return err
		}
		if err := l.writeCoverage(ctx, tx); err != nil {
			return err
		}
		return renameSuccessors(ctx, tx, l.next)
	})
}

// serveRows writes the rows and makes the load the active one.
func (l loadRow) serveRows(ctx context.Context, tx pgx.Tx) error {
	if l.src.Target.Swap != "" {
		return runScript(ctx, tx, l.src.Target.Swap)
	}
	if l.next == nil {
		if err := mergeRows(ctx, tx, "ready", l.src, l.src.Target, l.scope); err != nil {
			return err
		}
		for _, d := range l.src.Derived {
			if err := mergeRows(ctx, tx, d.Name, l.src, d.Target, l.scope); err != nil {
				return err
			}
		}
	}
	if err := runScript(ctx, tx, withSuccessorNames(l.src.Target.After, l.next)); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, retireLoads, l.src.Name); err != nil {
		return fmt.Errorf("retire the load before: %w", err)
	}
	_, err := tx.Exec(ctx, `UPDATE geo.load l SET active = true FROM this_load t WHERE l.id = t.id`)
	return fault.Wrap("activate the load", err)
}

const insertLoad = `INSERT INTO geo.load (source, scope, producer, title, licence, vintage, files, checksum, row_count,
	refused_count, refused, started_at, loaded_at, active, filled, left_out_count)
VALUES ($1, $2, $3, $4, $5, nullif($6, ''), $7, $8, $9, $10, $11, $12, $13, false, $14, $15) RETURNING id`

const createThisLoad = `CREATE TEMP TABLE this_load ON COMMIT DROP AS SELECT $1::bigint AS id, $2::text AS scope,
	$3::date AS vintage, $4::smallint AS rank, $5::boolean AS complete, $6::text[] AS columns, $7::text AS part`

// insertLoadRow writes the row of geo.load, inactive, and the table that scripts read.
func (l loadRow) insertLoadRow(ctx context.Context, tx pgx.Tx, now time.Time) error {
	recorded := make([]recordedFile, len(l.files))
	for i, f := range l.files {
		recorded[i] = recordedFile{f.name, f.sha256, f.bytes, f.modified.UTC(), f.inBox}
	}
	files, err := json.Marshal(recorded)
	if err != nil {
		return err
	}
	if l.refused.first == nil {
		l.refused.first = []Rejection{}
	}
	refused, err := json.Marshal(l.refused.first)
	if err != nil {
		return err
	}
	var id int64
	err = tx.QueryRow(ctx, insertLoad, l.src.Name, l.scope, l.src.Producer, l.src.Title, l.src.Licence.Name,
		l.vintage,
		files, l.checksum, l.rows, l.refused.count, refused, l.started, now, l.filled,
		l.refused.leftOut.Count).Scan(&id)
	if err != nil {
		return err
	}
	var vintage *time.Time
	if day, err := time.Parse(time.DateOnly, l.vintage); err == nil {
		vintage = &day
	}
	read := []string{}
	for _, col := range l.src.Columns {
		if col.SQL == "" {
			read = append(read, col.Name)
		}
	}
	_, err = tx.Exec(ctx, createThisLoad, id, l.scope, vintage, l.src.Target.Rank, !l.partial, read,
		partOf(l.src, l.scope))
	return err
}

const retireLoads = `UPDATE geo.load l SET active = false FROM this_load t
WHERE l.active AND l.source = $1 AND l.scope = t.scope`

// mergeRows makes the target's rows of a scope those of the prepared
// table; rows that are the same are left alone.
func mergeRows(ctx context.Context, tx pgx.Tx, ready string, src source.Source, t source.Target,
	scope string) error {
	target := tableName(t)
	from := pgx.Identifier{ready}.Sanitize()
	columns, err := columnsOf(ctx, tx, ready)
	if err != nil {
		return err
	}
	same := make([]string, len(t.Key))
	for i, k := range t.Key {
		name := pgx.Identifier{k}.Sanitize()
		same[i] = "n." + name + " = t." + name
	}
	gone := "DELETE FROM " + target + " t WHERE NOT EXISTS (SELECT FROM " + from + " n WHERE " +
		strings.Join(same, " AND ") + ")"
	var args []any
	switch {
	case t.Part:
		gone += " AND t.part = $1"
		args = append(args, partOf(src, scope))
	case t.ScopeColumn != "":
		gone += " AND starts_with(t." + pgx.Identifier{t.ScopeColumn}.Sanitize() + ", $1)"
		args = append(args, scope)
	}
	fresh, err := nothingServed(ctx, tx, t, partOf(src, scope), "")
	if err != nil {
		return err
	}
	write := insertAll(target, from, columns)
	if !fresh {
		if _, err := tx.Exec(ctx, gone, args...); err != nil {
			return fmt.Errorf("delete the rows of %s that are gone: %w", t.Table, err)
		}
		write = upsertAll(target, from, columns, t.Key)
	}
	if _, err := tx.Exec(ctx, write); err != nil {
		return fmt.Errorf("write the rows of %s: %w", t.Table, addErrorDetail(err))
	}
	return nil
}

// afterScope sorts after every suffix of a scope: BETWEEN scope AND scope || afterScope is a range of an
// index.
const afterScope = "ZZZZZZZZZZZZ"

// nothingServed reports whether no row that is served can have the key of a new one: there is none in the
// part, in the scope where a script replaces that, or in the whole table. Then there is nothing to compare
// with, and rows are written in little more than half the time.
func nothingServed(ctx context.Context, db interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}, t source.Target, part, scope string) (bool, error) {
	query, args := "SELECT NOT EXISTS (SELECT FROM "+tableName(t)+")", []any(nil)
	switch {
	case t.Part && slices.Contains(t.Key, "part"):
		query, args = "SELECT NOT EXISTS (SELECT FROM "+tableName(t)+" WHERE part = $1)", []any{part}
	case t.Swap != "" && t.ScopeColumn != "" && scope != "":
		within := pgx.Identifier{t.ScopeColumn}.Sanitize() + " BETWEEN $1 AND $1 || '" + afterScope + "'"
		query, args = "SELECT NOT EXISTS (SELECT FROM "+tableName(t)+" WHERE "+within+")", []any{scope}
	}
	var fresh bool
	if err := db.QueryRow(ctx, query, args...).Scan(&fresh); err != nil {
		return false, fmt.Errorf("look for rows of %s: %w", t.Table, err)
	}
	return fresh, nil
}

func insertAll(target, from string, columns []string) string {
	list := columnList(columns)
	return "INSERT INTO " + target + " (" + list + ") SELECT " + list + " FROM " + from
}

func upsertAll(target, from string, columns, key []string) string {
	list := columnList(columns)
	sql := "INSERT INTO " + target + " AS t (" + list + ") SELECT " + list + " FROM " + from +
		" ON CONFLICT (" + columnList(key) + ") DO "
	var set, old, new []string
	for _, c := range columns {
		if slices.Contains(key, c) {
			continue
		}
		name := pgx.Identifier{c}.Sanitize()
		set = append(set, name+" = EXCLUDED."+name)
		old, new = append(old, "t."+name), append(new, "EXCLUDED."+name)
	}
	if set == nil {
		return sql + "NOTHING"
	}
	return sql + "UPDATE SET " + strings.Join(set, ", ") +
		" WHERE (" + strings.Join(old, ", ") + ") IS DISTINCT FROM (" + strings.Join(new, ", ") + ")"
}

func columnsOf(ctx context.Context, tx pgx.Tx, table string) ([]string, error) {
	columns, err := pgdb.Collect(ctx, tx, pgx.RowTo[string], `SELECT attname FROM pg_attribute
		WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`, table)
	return columns, fault.Wrap("list the columns of "+table, err)
}

// runScript runs SQL statements that lines starting with "---" separate.
func runScript(ctx context.Context, tx pgx.Tx, script string) error {
	for sql := range strings.SplitSeq("\n"+script, "\n---") {
		if _, err := tx.Exec(ctx, "--"+sql); err != nil {
			first, _, _ := strings.Cut(strings.TrimSpace(sql), "\n")
			return fmt.Errorf("swap (%s): %w", first, err)
		}
	}
	return nil
}
