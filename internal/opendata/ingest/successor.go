package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"arpent/internal/clock"
	"arpent/internal/opendata/source"
	"arpent/internal/pgdb"
)

// successor is a table that takes the place of one without rows. Its indexes are made when it has all
// rows, in a third of the time that they take to grow row by row. Readers wait only for the change
// of names, and never see rows without an index. What a load that is killed leaves of it is not read,
// and the next load of the source removes it.
type successor struct {
	target  source.Target
	from    string   // the temporary table or view of its rows
	indexes []string // of the table that it follows
}

const (
	successorSuffix = "_next"
	// minSuccessorRows are worth a table of their own.
	minSuccessorRows = 50_000
	maxNameBytes     = 63
	// maxPlaceWait is how long the readers of a table may be held up by one that waits for those before them.
	maxPlaceWait     = `SET LOCAL lock_timeout = '20ms'`
	lockNotAvailable = "55P03"
	placeTries       = 100
	placePause       = 50 * time.Millisecond
)

// ownsTables reports whether the tables of a source are written by loads of its group alone, one at a time.
func (s *session) ownsTables() bool {
	for _, t := range targetsOf(s.src) {
		for _, other := range s.loader.o.Catalogue {
			fills := slices.ContainsFunc(targetsOf(other), func(o source.Target) bool { return o.Table == t.Table })
			if fills && cmp.Or(other.Group, other.Name) != s.groupName() {
				return false
			}
		}
	}
	return true
}

// writeSuccessors writes those of all tables of the source, when the only load is into tables
// without rows. nil: the rows are to be merged.
func (s *session) writeSuccessors(ctx context.Context, rows int64) ([]successor, error) {
	if rows < minSuccessorRows || !s.alone || !s.ownsTables() || slices.ContainsFunc(targetsOf(s.src),
		func(t source.Target) bool { return !t.Part || t.Swap != "" }) {
		return nil, nil
	}
	all := []successor{{target: s.src.Target, from: "ready"}}
	for _, d := range s.src.Derived {
		all = append(all, successor{target: d.Target, from: d.Name})
	}
	for _, n := range all {
		empty, err := nothingServed(ctx, s.conn, source.Target{Table: n.target.Table}, "", "")
		if err != nil || !empty {
			return nil, err
		}
	}
	for i := range all {
		err := pgx.BeginFunc(ctx, s.conn, func(tx pgx.Tx) error { return all[i].writeTable(ctx, tx) })
		var refused *pgconn.PgError
		if errors.As(err, &refused) && !s.isLost(ctx) {
			return nil, s.dropSuccessors(ctx) // the merge meets the same, and reports it
		}
		if err != nil {
			return nil, fmt.Errorf("write a successor of %s: %w", all[i].target.Table, err)
		}
	}
	return all, nil
}

// dropSuccessors removes what a load has left of successors.
func (s *session) dropSuccessors(ctx context.Context) error {
	if !s.ownsTables() {
		return nil
	}
	for _, t := range targetsOf(s.src) {
		if _, err := s.conn.Exec(ctx, "DROP TABLE IF EXISTS "+nextTable(t)); err != nil {
			return fmt.Errorf("remove the successor of %s: %w", t.Table, err)
		}
	}
	return nil
}

func nextTable(t source.Target) string {
	return tableName(source.Target{Table: t.Table + successorSuffix})
}

// withSuccessorNames is SQL of a script that reads the rows of the load where they are.
func withSuccessorNames(sql string, all []successor) string {
	for _, n := range all {
		table := regexp.MustCompile(`\b` + regexp.QuoteMeta(n.target.Table) + `\b`)
		sql = table.ReplaceAllLiteralString(sql, n.target.Table+successorSuffix)
	}
	return sql
}

// sameRights are the statements that grant on the successor what is granted on the table.
const sameRights = `SELECT format('ALTER TABLE %s OWNER TO %I', $2::text, pg_get_userbyid(relowner)) FROM pg_class WHERE oid = $1::text::regclass
UNION ALL
SELECT format('GRANT %s ON %s TO %s', a.privilege_type, $2::text, CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END)
FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = $1::text::regclass AND a.grantee <> c.relowner`

// indexesOf are the indexes of a table, and what those are that are keys.
const indexesOf = `SELECT i.relname, pg_get_indexdef(i.oid), CASE c.contype WHEN 'p' THEN 'PRIMARY KEY' WHEN 'u' THEN 'UNIQUE' ELSE '' END
FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
LEFT JOIN pg_constraint c ON c.conindid = i.oid AND c.contype IN ('p', 'u') WHERE x.indrelid = $1::text::regclass ORDER BY i.relname`

var indexHead = regexp.MustCompile(`INDEX \S+ ON \S+ `)

// writeTable makes the successor with its rows and indexes, these under names of their own.
func (n *successor) writeTable(ctx context.Context, tx pgx.Tx) error {
	table, next := tableName(n.target), nextTable(n.target)
	columns, err := columnsOf(ctx, tx, n.from)
	if err != nil {
		return err
	}
	rights, err := pgdb.Collect(ctx, tx, pgx.RowTo[string], sameRights, table, next)
	if err != nil {
		return err
	}
	statements := append([]string{
		"DROP TABLE IF EXISTS " + next,
		// A vacuum of the table would be in the way of the change of names.
		"CREATE TABLE " + next + " (LIKE " + table +
			" INCLUDING ALL EXCLUDING INDEXES) WITH (autovacuum_enabled = false)",
		insertAll(next, pgx.Identifier{n.from}.Sanitize(), columns),
	}, rights...)
	rows, _ := tx.Query(ctx, indexesOf, table) // the rows have its error too
	var name, index, key string
	_, err = pgx.ForEachRow(rows, []any{&name, &index, &key}, func() error {
		if len(name+successorSuffix) > maxNameBytes {
			return &pgconn.PgError{Message: "the name " + name + " is too long"}
		}
		n.indexes = append(n.indexes, name)
		own := pgx.Identifier{name + successorSuffix}.Sanitize()
		statements = append(statements, indexHead.ReplaceAllLiteralString(index, "INDEX "+own+" ON "+next+" "))
		if key != "" {
			statements = append(statements, "ALTER TABLE "+next+" ADD CONSTRAINT "+own+" "+key+" USING INDEX "+own)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, sql := range statements {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// errFilled is why a successor cannot take the place of a table.
var errFilled = &pgconn.PgError{Message: "the table has rows or another form meanwhile"}

// renameSuccessors gives the successors the names of the tables that they follow, at the end of the
// transaction: until then readers are held up.
func renameSuccessors(ctx context.Context, tx pgx.Tx, all []successor) error {
	if len(all) == 0 {
		return nil
	}
	locks, empty, renames := []string{maxPlaceWait}, []string{}, []string{}
	for _, n := range all {
		table, next := tableName(n.target), nextTable(n.target)
		locks = append(locks, "LOCK TABLE "+next+", "+table+" IN ACCESS EXCLUSIVE MODE")
		empty = append(empty, "NOT EXISTS (SELECT FROM "+table+")", formOfTable(table)+" = "+formOfTable(next))
		_, name, _ := strings.Cut(n.target.Table, ".")
		renames = append(renames, "DROP TABLE "+table, "ALTER TABLE "+next+" RENAME TO "+
			pgx.Identifier{name}.Sanitize(),
			"ALTER TABLE "+table+" RESET (autovacuum_enabled)")
		for _, index := range n.indexes {
			schema, _, _ := strings.Cut(n.target.Table, ".")
			renames = append(renames, "ALTER INDEX "+pgx.Identifier{schema, index + successorSuffix}.Sanitize()+
				" RENAME TO "+pgx.Identifier{index}.Sanitize())
		}
	}
	for try := 1; ; try++ { // until none of the readers is in the way, for some seconds
		err := pgx.BeginFunc(ctx, tx, func(attempt pgx.Tx) error {
			_, err := attempt.Exec(ctx, strings.Join(locks, "; "))
			return err
		})
		var refused *pgconn.PgError
		if errors.As(err, &refused) && refused.Code == lockNotAvailable && try < placeTries &&
			clock.Sleep(ctx, placePause) {
			continue
		}
		if err != nil {
			return err
		}
		break
	}
	var still bool
	if err := tx.QueryRow(ctx, "SELECT "+strings.Join(empty, " AND ")).Scan(&still); err != nil {
		return err
	}
	if !still {
		return errFilled
	}
	_, err := tx.Exec(ctx, strings.Join(renames, "; "))
	return err
}

// formOfTable is SQL for the columns of a table and how many indexes it has: a
// migration may have changed one of two meanwhile.
func formOfTable(table string) string {
	return "(SELECT array_agg((a.attname, a.atttypid, a.atttypmod, a.attnotnull)::text ORDER BY a.attnum) || (SELECT count(*) FROM pg_index x WHERE x.indrelid = a.attrelid)::text" +
		" FROM pg_attribute a WHERE a.attrelid = '" + table +
		"'::regclass AND a.attnum > 0 AND NOT a.attisdropped GROUP BY a.attrelid)"
}
