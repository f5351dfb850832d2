package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sync/errgroup"

	"arpent/internal/fault"
	"arpent/internal/opendata/source"
	"arpent/internal/pgdb"
)

// gathering is a first load of many places into a table without rows: the rows of each place are
// written into its successor, which gets its indexes and takes its place once all are there. Indexes
// that grow row by row take half the time of such a load. Readers see nothing of it until then. What a
// run leaves that is killed the next one goes on with.
type gathering struct {
	into successor
	left map[string]gatheredPlace // by scope: what a run before has left
}

// gatheredPlace is what geo.load is to say of a place whose rows wait.
type gatheredPlace struct {
	Scope    string
	Vintage  string
	Partial  bool
	Files    []recordedFile
	Checksum string
	Rows     int64
	Filled   []string
	Refused  int64
	First    []Rejection
	LeftOut  LeftOut
	Started  time.Time
}

// minGathered is the size of files, in bytes, from which rows are gathered: about a minute of loading.
const minGathered = 64 << 20

// canGather reports whether the groups are those of a first load of many places. The rows of each are all
// that is known of it: nothing is made of them but the table.
func (s *session) canGather(ctx context.Context, changed []group) (bool, error) {
	var bytes int64
	for _, g := range changed {
		if bytes += g.totalBytes(); !standsAlone(g, changed) {
			return false, nil
		}
	}
	t := s.src.Target
	ofAreas := slices.ContainsFunc(s.src.Covers, func(c source.Coverage) bool { return c.Areas != "" })
	if len(changed) < 2 || bytes < s.loader.o.GatherFrom || !t.Part || t.Swap != "" || t.After != "" ||
		s.src.Derived != nil || ofAreas || !s.ownsTables() {
		return false, nil
	}
	return s.emptyTables(ctx)
}

// beginGathering makes the gathering table, or continues with the one that is there when its places are those
// to be loaded. Where there is nothing to gather it removes the table.
func (s *session) beginGathering(ctx context.Context, changed []group, r Request) error {
	fits, err := s.canGather(ctx, changed)
	if err != nil {
		return err
	}
	if !fits {
		return s.dropSuccessors(ctx)
	}
	s.gathering = &gathering{into: successor{target: s.src.Target, from: "ready"}}
	if !r.Force {
		if goesOn, err := s.resumeGathering(ctx, changed); err != nil || goesOn {
			return err
		}
	}
	if err := s.dropSuccessors(ctx); err != nil {
		return err
	}
	return fault.Wrap("make a successor of "+s.src.Target.Table, pgx.BeginFunc(ctx, s.conn,
		func(tx pgx.Tx) error { return s.gathering.into.createTable(ctx, tx) }))
}

// resumeGathering reports whether a run has left places of this source whose files are still the same.
func (s *session) resumeGathering(ctx context.Context, changed []group) (bool, error) {
	left, err := s.listGathered(ctx)
	if err != nil || len(left) == 0 {
		return false, err
	}
	s.gathering.left = map[string]gatheredPlace{}
	for _, one := range left {
		same := func(g group) bool { return g.scope == one.Scope && g.checksum == one.Checksum }
		if !slices.ContainsFunc(changed, same) {
			s.gathering.left = nil
			return false, nil
		}
		s.gathering.left[one.Scope] = one
	}
	return true, nil
}

const gatheredLoads = `SELECT load FROM geo.load_gathered WHERE source = $1 AND to_regclass($2) IS NOT NULL ORDER BY scope`

// listGathered lists the places whose rows wait.
func (s *session) listGathered(ctx context.Context) ([]gatheredPlace, error) {
	all, err := pgdb.Collect(ctx, s.conn, pgx.RowTo[gatheredPlace], gatheredLoads, s.src.Name,
		nextTable(s.src.Target))
	return all, fault.Wrap("read which places wait", err)
}

const insertGathered = `INSERT INTO geo.load_gathered (source, scope, target, load) VALUES ($1, $2, $3, $4)`

// gatherRows has the rows of a place wait for those of the others.
func (s *session) gatherRows(ctx context.Context, l loadRow) error {
	record, err := json.Marshal(gatheredPlace{l.scope, l.vintage, l.partial, recordFiles(l.files), l.checksum,
		l.rows, l.filled,
		l.refused.count, l.refused.first, l.refused.leftOut, l.started})
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, s.conn, func(tx pgx.Tx) error {
		if err := s.gathering.into.insertRows(ctx, tx); err != nil {
			return fmt.Errorf("write the rows of %s: %w", s.src.Target.Table, addErrorDetail(err))
		}
		_, err := tx.Exec(ctx, insertGathered, s.src.Name, l.scope, s.src.Target.Table, record)
		return err
	})
}

// serveGathered makes the indexes of what was gathered and serves it, all places at once. Of a table that is
// read all the time the report states it, and the places wait for the next run. Any other *pgconn.PgError is
// why they cannot be served so; then nothing is left of them.
func (s *session) serveGathered(ctx context.Context, r Request) (whole Outcome, err error) {
	whole = Outcome{Source: s.src.Name, State: Loaded}
	all, err := s.listGathered(ctx)
	if err != nil {
		return whole, err
	}
	if len(all) == 0 {
		return whole, s.dropSuccessors(ctx)
	}
	for _, one := range all {
		whole.Rows += one.Rows
	}
	s.loader.o.Log.InfoContext(ctx, "all places of a first load are read", "source", s.src.Name, "places",
		len(all), "rows", whole.Rows)
	begun := s.loader.o.Clock.Now()
	if err = s.indexGathered(ctx, &s.gathering.into, r); err == nil {
		err = pgx.BeginFunc(ctx, s.conn, func(tx pgx.Tx) error { return s.putGathered(ctx, tx, all) })
	}
	var refused *pgconn.PgError
	switch {
	case errors.As(err, &refused) && refused.Code == lockNotAvailable:
		whole.State, whole.Err = Refused, fmt.Errorf(
			"%s is read without a pause: what was read of %d places waits, and the next load serves it",
			s.src.Target.Table, len(all))
	case refused != nil && !s.isLost(ctx):
		return whole, errors.Join(err, s.dropSuccessors(ctx))
	case err != nil:
		return whole, err
	}
	whole.Took = s.loader.o.Clock.Now().Sub(begun)
	s.loader.o.Progress.Start(s.src.Name, 0)
	s.loader.o.Progress.Done(whole)
	_, err = s.conn.Exec(ctx, "DISCARD TEMP")
	return whole, err
}

// indexGathered makes the indexes, as many at a time as places are loaded.
func (s *session) indexGathered(ctx context.Context, next *successor, r Request) error {
	var statements []string
	err := pgx.BeginFunc(ctx, s.conn, func(tx pgx.Tx) (err error) {
		// Of a run that was killed the database may still make an index.
		if _, err := tx.Exec(ctx, "LOCK TABLE "+nextTable(next.target)+" IN SHARE ROW EXCLUSIVE MODE"); err != nil {
			return err
		}
		statements, err = next.indexStatements(ctx, tx)
		return err
	})
	if err != nil {
		return err
	}
	all, inner := errgroup.WithContext(ctx)
	all.SetLimit(s.loader.o.Workers)
	for _, sql := range append(statements, "ANALYZE "+nextTable(next.target)) {
		all.Go(func() error {
			other, err := s.loader.openSession(inner, s.src, r)
			if err != nil {
				return err
			}
			defer other.Close()
			_, err = other.conn.Exec(inner, sql)
			return err
		})
	}
	return all.Wait()
}

// putGathered records the loads of all places, and has their rows take the place of the table.
func (s *session) putGathered(ctx context.Context, tx pgx.Tx, all []gatheredPlace) error {
	next := []successor{s.gathering.into}
	for _, sql := range next[0].constraints {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return err
		}
	}
	for _, one := range all {
		files := make([]file, len(one.Files))
		for i, f := range one.Files {
			files[i] = file{name: f.Name, sha256: f.SHA256, bytes: f.Bytes, modified: f.Modified, inBox: f.Box}
		}
		row := loadRow{src: s.src, rows: one.Rows, filled: one.Filled, next: next, started: one.Started,
			group: group{scope: one.Scope, vintage: one.Vintage, partial: one.Partial, files: files,
				checksum: one.Checksum},
			refused: &rejections{one.Refused, one.First, one.LeftOut}}
		if _, err := tx.Exec(ctx, "CREATE OR REPLACE TEMP VIEW ready AS SELECT * FROM "+nextTable(s.src.Target)+
			" WHERE part = '"+source.Quoted(partOf(s.src, one.Scope))+"'"); err != nil {
			return err
		}
		if err := row.recordAndServe(ctx, tx, s.loader.o.Clock.Now()); err != nil {
			return fmt.Errorf("%s: %w", one.Scope, err)
		}
		if _, err := tx.Exec(ctx, "DROP TABLE this_load"); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, "LOCK TABLE "+nextTable(s.src.Target)+" IN SHARE ROW EXCLUSIVE MODE"); err != nil {
		return err
	}
	forgotten, err := tx.Exec(ctx, forgetGathered, s.src.Target.Table, s.src.Name)
	if err != nil {
		return err
	}
	if int(forgotten.RowsAffected()) != len(all) {
		return errFilled
	}
	return renameSuccessors(ctx, tx, next)
}
