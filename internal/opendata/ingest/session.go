package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/fault"
	"arpent/internal/opendata/ingest/convert"
	"arpent/internal/opendata/ingest/format"
	"arpent/internal/opendata/source"
	"arpent/internal/pgdb"
)

// closeTimeout bounds closing a connection to the database.
const closeTimeout = 5 * time.Second

// session is a connection of its own for the loads of one source. The first one of a source holds
// the lock of its group, so that no other process writes the same tables; swapRows decides what the
// other ones of the source may write at the same time.
type session struct {
	loader *Loader
	src    source.Source
	conv   *convert.Converter
	conn   *pgx.Conn
	temp   *tempFolder

	keepBetter  bool // see Request.KeepBetter
	reading     *reading
	alone       bool   // no other load of the source runs concurrently
	beforeWrite func() // is called when what was read of a load is about to be written; nil: not called
}

// reading is a load whose files have been read into the staging table, or could not be.
type reading struct {
	row            loadRow
	missingColumns string // see format.Lacking
	anyProjected   bool   // a shape is in other units than degrees
	err            error
}

const lockGroup = `SELECT pg_advisory_lock(hashtextextended('arpent load ' || $1, 0))`

func (s *session) groupName() string { return cmp.Or(s.src.Group, s.src.Name) }

// isLost reports whether nothing more can be loaded.
func (s *session) isLost(ctx context.Context) bool { return ctx.Err() != nil || s.conn.IsClosed() }

// settings of a loading connection: big sorts and indexes, no limit on the time of one statement, and no wait
// for the disk at commit (a load that a crash undoes is loaded again at the next start). Some thousand rows
// of a staging table are enough for the planner.
const settings = `SET default_statistics_target = 10; SET work_mem = '96MB'; SET maintenance_work_mem = '192MB'; SET temp_buffers = '32MB';
SET statement_timeout = 0; SET lock_timeout = 0; SET synchronous_commit = off; SET jit = off`

func (l *Loader) openSession(ctx context.Context, src source.Source, r Request) (*session, error) {
	conv, err := convert.New(src)
	if err != nil {
		return nil, err
	}
	cfg := l.o.DB.Config().ConnConfig.Copy()
	// Staging tables have the same names and other columns at each load: nothing may be remembered of them.
	cfg.DefaultQueryExecMode = pgx.QueryExecModeDescribeExec
	cfg.RuntimeParams["application_name"] = "arpent load"
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("reach the database: %w", err)
	}
	s := &session{loader: l, src: src, conv: conv, conn: conn, keepBetter: r.KeepBetter}
	if _, err = conn.Exec(ctx, settings); err == nil {
		err = pgdb.RegisterGeometry(ctx, conn) // COPY sends EWKB as it is
	}
	if err != nil {
		err = fmt.Errorf("prepare the connection: %w", err)
	} else {
		s.temp, err = newTempFolder(l.unpackFolder())
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close ends the connection, and the lock and the staging tables with it. It removes what was unpacked.
func (s *session) Close() {
	if err := s.temp.remove(); err != nil { // the next load tries again
		s.loader.o.Log.Warn("unpacked files left", "error", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	_ = s.conn.Close(ctx) // the server cleans up after a connection that is lost, too
}

// readGroup reads the files of a load.
func (s *session) readGroup(ctx context.Context, g group) {
	var bytes int64
	for _, f := range g.files {
		bytes += f.bytes
	}
	s.loader.updateProgress(func(p Progress) { p.Start(loadLabel(s.src.Name, g.scope, g.vintage), bytes) })
	s.reading = &reading{row: loadRow{
		group: g, src: s.src, refused: &rejections{}, started: s.loader.o.Clock.Now(),
	}}
	if err := createStage(ctx, s.conn, s.conv, s.src.Geometry); err != nil {
		s.reading.err = fmt.Errorf("make the staging table: %w", err)
	} else if err := s.copyRecords(ctx, g, s.reading.row.refused); err != nil {
		s.reading.err = readError{err}
	}
}

// loadGroup does one load, whose files have been read or are yet to be, and reports it.
func (s *session) loadGroup(ctx context.Context, g group) Outcome {
	l := s.loader
	if s.reading == nil {
		s.readGroup(ctx, g)
	}
	row, started := &s.reading.row, s.reading.row.started
	out := Outcome{Source: s.src.Name, Scope: g.scope, Vintage: g.vintage, Files: fileNames(g.files),
		State: Loaded}
	if s.beforeWrite != nil {
		s.beforeWrite()
	}
	err := s.checkAndSwap(ctx, g, s.reading)
	s.reading = nil
	out.Worse = row.worse
	out.Rows, out.Refused, out.Rejections, out.LeftOut, out.Vintage = row.rows, row.refused.count,
		row.refused.first, row.refused.leftOut, row.vintage
	if err != nil {
		var named readError
		switch more := len(g.files) - 1; {
		case errors.As(err, &named):
		case more == 0:
			err = fmt.Errorf("%s: %w", g.files[0].name, err)
		default:
			err = fmt.Errorf("%s and %d more files: %w", g.files[0].name, more, err)
		}
		out.State, out.Err, out.Rows = Refused, err, 0
	}
	out.Took = l.o.Clock.Now().Sub(started)
	event := "load activated"
	if err != nil {
		event = "load rejected"
	}
	l.updateProgress(func(p Progress) { p.Done(out) })
	l.o.Log.InfoContext(ctx, event, "source", out.Source, "scope", out.Scope, "vintage", out.Vintage,
		"state", out.State, "rows", out.Rows, "refused", out.Refused, "left_out", out.LeftOut.Count, "took",
		out.Took.String(), "error", out.Err)
	return out
}

// readError is an error that names its file already.
type readError struct{ error }

func (e readError) Unwrap() error { return e.error }

// checkAndSwap checks and swaps what was read. Its temporary tables are dropped whatever happens.
func (s *session) checkAndSwap(ctx context.Context, g group, read *reading) (err error) {
	defer func() {
		if _, dropErr := s.conn.Exec(ctx, "DISCARD TEMP"); err == nil {
			err = dropErr
		}
	}()
	if read.err != nil {
		return read.err
	}
	row := &read.row
	check := &checker{conn: s.conn, src: s.src, files: g.files, refused: row.refused,
		columns: columnNames(s.conv, s.src.Geometry), missingColumns: read.missingColumns,
		anyProjected: read.anyProjected}
	if err := check.checkRows(ctx); err != nil {
		return err
	}
	found, err := check.checkLoad(ctx)
	if err != nil {
		return err
	}
	row.rows, row.filled = found.rows, found.filled
	if err := row.checkNotWorse(ctx, s.conn); err != nil && (s.keepBetter || !errors.As(err, &row.worse)) {
		return err
	}
	if row.vintage == "" && s.src.Vintage != "" {
		sql := "SELECT coalesce((" + s.src.Vintage + ")::text, '') FROM stage"
		if err := s.conn.QueryRow(ctx, sql).Scan(&row.vintage); err != nil {
			return fmt.Errorf("date the load: %w", err)
		}
	}
	if err := prepareTables(ctx, s.conn, s.src, row.scope, s.loader.o.RestoreOutlines); err != nil {
		return err
	}
	if row.next, err = s.writeSuccessors(ctx, row.rows); err != nil {
		return err
	}
	err = swapRows(ctx, s.conn, s.groupName(), *row, s.loader.o.Clock.Now())
	if err == nil || row.next == nil || s.isLost(ctx) {
		return err
	}
	// Successors cannot take the places of tables that are read all the time or have rows meanwhile: then the
	// rows are merged.
	if left := s.dropSuccessors(ctx); left != nil {
		return errors.Join(err, left)
	}
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		return err
	}
	row.next = nil
	return swapRows(ctx, s.conn, s.groupName(), *row, s.loader.o.Clock.Now())
}

// copyRecords copies the records of all files into the staging table.
func (s *session) copyRecords(ctx context.Context, g group, refused *rejections) error {
	columns := columnNames(s.conv, s.src.Geometry)
	f := &copySource{
		ctx: ctx, conv: s.conv, files: g.files, open: s.openFile, refused: refused,
		drops: compileDrops(s.src, columns), neededColumns: s.conv.Columns(),
		shapeAt: slices.Index(columns, "geom"),
	}
	if g := s.src.Geometry; g != nil && g.Else == nil {
		f.neededColumns = append(f.neededColumns, source.Column{From: g.X}, source.Column{From: g.Y})
	}
	defer f.Close()
	_, err := s.conn.CopyFrom(ctx, pgx.Identifier{"stage"}, columns, f)
	s.reading.missingColumns, s.reading.anyProjected = f.missingColumns, f.anyProjected
	for _, file := range g.files {
		if changed := file.checkUnchanged(); changed != nil { // what is wrong with it may come from that
			return fmt.Errorf("%s: %w", file.name, changed)
		}
	}
	return cmp.Or(f.err, err)
}

// openFile starts to read a file in the format of the source.
func (s *session) openFile(ctx context.Context, f file) (format.Reader, error) {
	srid := 0 // of a file that does not name its own
	if s.src.Geometry != nil {
		srid = convert.SRID(s.src.Geometry, f.scopeField())
	}
	return format.Open(ctx, f.path, s.src.Read, format.Options{
		Geometry: s.src.Geometry, SRID: srid, Path: f.fields,
		Read: func(bytes int64) { s.loader.updateProgress(func(p Progress) { p.Add(bytes) }) },
		Fits: func(member string) bool { return f.matchesMember(s.src, member) }, Temp: s.temp.path(),
	})
}

// A command that loads holds this lock from its first load to its last, together with others that do.
const (
	lockBusy   = `SELECT pg_advisory_lock_shared(hashtextextended('arpent loading', 0))`
	unlockBusy = `SELECT pg_advisory_unlock_shared(hashtextextended('arpent loading', 0))`
	tryAlone   = `SELECT pg_try_advisory_lock(hashtextextended('arpent loading', 0))`
	tryBusy    = `SELECT NOT pg_try_advisory_xact_lock(hashtextextended('arpent loading', 0))`
)

// announceLoads announces that loads are under way, until the returned function is called. It holds a
// connection of the pool for as long; the lock ends with the connection, however that is lost.
func (l *Loader) announceLoads(ctx context.Context) (done func(), err error) {
	conn, err := l.o.DB.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("reach the database: %w", err)
	}
	if _, err := conn.Exec(ctx, lockBusy); err != nil {
		conn.Release()
		return nil, fmt.Errorf("announce that loads are under way: %w", err)
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		if _, err := conn.Exec(ctx, unlockBusy); err != nil {
			_ = conn.Hijack().Close(ctx)
			return
		}
		conn.Release()
	}, nil
}

// Busy reports whether loads are under way, in this process or another: more are about to follow.
func Busy(ctx context.Context, pool *pgxpool.Pool) (busy bool, err error) {
	err = pool.QueryRow(ctx, tryBusy).Scan(&busy)
	return busy, err
}

// ExcludeLoads keeps loads from beginning for as long as conn is open. It fails with a fault.Unavailable
// while one is under way.
func ExcludeLoads(ctx context.Context, conn *pgx.Conn) error {
	var alone bool
	err := conn.QueryRow(ctx, tryAlone).Scan(&alone)
	if err == nil && !alone {
		return fault.Down("A load is under way: try again when it has ended.", nil)
	}
	return err
}
