package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/internal/pgdb"
)

// copyBare copies what a load has made into tables of the same form, and indexes them.
func (l *loading) copyBare(ctx context.Context, k loadKind) (cost loadCost, err error) {
	if _, err = l.db.Exec(ctx, "CREATE SCHEMA bare"); err != nil {
		return cost, err
	}
	defer func() {
		_, dropped := l.db.Exec(ctx, "DROP SCHEMA bare CASCADE")
		err = errors.Join(err, dropped)
	}()
	stop := l.startReader(ctx, k)
	for _, t := range k.targetTables() {
		one, err := l.bareTable(ctx, strings.TrimPrefix(t.Table, "geo."))
		if err != nil {
			_, err = stop(err)
			return cost, fmt.Errorf("copy %s: %w", t.Table, err)
		}
		cost.rows += one.rows
		cost.took += one.took
		cost.database += one.database
	}
	cost.longest, err = stop(nil)
	return cost, err
}

const (
	indexesOf  = `SELECT indexdef FROM pg_indexes WHERE schemaname = 'geo' AND tablename = $1 ORDER BY indexdef`
	bareMemory = `SET maintenance_work_mem = '192MB'; SET synchronous_commit = off` // as arpent load has
)

var indexName = regexp.MustCompile(`INDEX \S+ ON geo\.`)

// bareTable takes the time of what a good script would do with the finished rows: COPY
// in binary, then the indexes, then ANALYZE.
func (l *loading) bareTable(ctx context.Context, name string) (cost loadCost, err error) {
	conn, err := l.db.Acquire(ctx)
	if err != nil {
		return cost, err
	}
	defer conn.Release()
	file, err := os.Create(filepath.Join(l.data, name+".copy"))
	if err != nil {
		return cost, err
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	if _, err := conn.Conn().PgConn().CopyTo(ctx, file, "COPY geo."+name+" TO STDOUT (FORMAT binary)"); err != nil {
		return cost, err
	}
	if _, err := file.Seek(0, 0); err != nil {
		return cost, err
	}
	indexes, err := pgdb.Collect(ctx, conn, pgx.RowTo[string], indexesOf, name)
	if err != nil {
		return cost, err
	}
	if _, err := conn.Exec(ctx, bareMemory); err != nil {
		return cost, err
	}
	if _, err := conn.Exec(ctx, "CREATE TABLE bare."+name+" (LIKE geo."+name+" INCLUDING CONSTRAINTS INCLUDING DEFAULTS)"); err != nil {
		return cost, err
	}
	before, err := l.processorTime(ctx)
	if err != nil {
		return cost, err
	}
	begun := time.Now()
	tag, err := conn.Conn().PgConn().CopyFrom(ctx, file, "COPY bare."+name+" FROM STDIN (FORMAT binary)")
	if err != nil {
		return cost, err
	}
	for _, sql := range append(indexes, "ANALYZE bare."+name) {
		if _, err := conn.Exec(ctx, indexName.ReplaceAllString(sql, "INDEX ON bare.")); err != nil {
			return cost, err
		}
	}
	cost.rows, cost.took = tag.RowsAffected(), time.Since(begun)
	after, err := l.processorTime(ctx)
	cost.database = after - before
	return cost, err
}
