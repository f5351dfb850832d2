package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/fault"
	"arpent/internal/opendata/state"
)

// Report makes the report of a parcel. A statement that fails or is late fails the whole: a report that lacks
// a value would look like one that found nothing. It returns the error of ctx when that ends first, and
// otherwise a fault of code Unavailable.
func (s *Store) Report(ctx context.Context, p Parcel) (*Report, error) {
	inner, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	var r *reportRun
	err := s.runAdmitted(inner, func() error {
		return s.readers.Read(inner, func(ctx context.Context, pool *pgxpool.Pool) error {
			r = &reportRun{store: s, pool: pool, subject: Subject{Parcel: p},
				answers: make([]keyAnswer, len(s.catalogue.keys))}
			return r.runLeader(ctx)
		})
	})
	switch {
	case err == nil:
		out := &Report{States: r.explainStates(), Loads: r.loads}
		for _, a := range r.answers {
			out.Values, out.Lengths = append(out.Values, a.value), append(out.Lengths, a.length)
		}
		return out, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case inner.Err() != nil:
		return nil, fault.Down(fmt.Sprintf("The report was not ready within %g seconds. Try again.",
			s.timeout.Seconds()), err)
	default:
		return nil, fault.Down("The report cannot be drawn at the moment. Try again in a moment.", err)
	}
}

// reportRun is one report while it is made.
type reportRun struct {
	store         *Store
	pool          *pgxpool.Pool // of the one server that it is made by
	subject       Subject
	loads         []Load
	loaded        []string // sources that are loaded, for whichever place
	snapshot      string
	pending       []statement
	nextStatement atomic.Int64
	answers       []keyAnswer // by the keys; each written by the one worker that has the statement
}

// keyAnswer is what a statement found of a key.
type keyAnswer struct {
	value     json.RawMessage
	length    *Length
	uncovered string       // why it is not covered, where its layers are
	known     *state.Known // what is loaded of it
	leftOut   *state.LeftOut
	none      string // why it is empty, where that differs by place
	searched  string // what a value was searched in, where that differs by place
}

// runAdmitted runs a report once it may start.
func (s *Store) runAdmitted(ctx context.Context, run func() error) error {
	release, err := s.admission.acquireReport(ctx)
	if err != nil {
		return err
	}
	defer release()
	return run()
}

// runLeader reads what all statements need, starts the helpers and works with them.
func (r *reportRun) runLeader(ctx context.Context) error {
	conn, err := r.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("reach the database: %w", err)
	}
	defer conn.Release()
	return readOnly(ctx, conn, "", func() error {
		if err := r.readSubject(ctx, conn.Conn()); err != nil {
			return err
		}
		return r.runWorkers(ctx, conn.Conn())
	})
}

// runWorkers works through the statements with as many helpers as are admitted. The first error stops all.
func (r *reportRun) runWorkers(ctx context.Context, conn *pgx.Conn) error {
	s := r.store
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	joining, enough := context.WithCancel(ctx)
	defer enough()
	var helpers sync.WaitGroup
	// A helper is worth its snapshot for some statements, not for one or two.
	const worth = 4
	for left := len(r.pending); left >= 2*worth; left -= worth {
		release, ok := s.admission.tryHelper()
		if !ok {
			break
		}
		if err := r.exportSnapshot(ctx, conn); err != nil {
			release()
			cancel(err)
			break
		}
		helpers.Go(func() {
			defer release()
			if err := r.runHelper(ctx, joining); err != nil {
				cancel(err)
			}
		})
	}
	if err := r.runStatements(ctx, conn, neverStop); err != nil {
		cancel(err)
	}
	enough()
	helpers.Wait()
	return context.Cause(ctx)
}

// runHelper works on a connection of its own. Without one by the time joining ends it returns nil: the leader
// does the work alone. A panic is the failure of this report, not the end of the process.
func (r *reportRun) runHelper(ctx, joining context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	conn, err := r.pool.Acquire(joining)
	if err != nil {
		return nil
	}
	defer conn.Release()
	return readOnly(ctx, conn, r.snapshot, func() error {
		return r.runStatements(ctx, conn.Conn(), r.store.admission.isCongested)
	})
}

// readOnly runs read in a repeatable-read transaction: on the given snapshot, if there is one.
func readOnly(ctx context.Context, conn *pgxpool.Conn, snapshot string, read func() error) error {
	begin := "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	if snapshot != "" {
		begin += "; SET TRANSACTION SNAPSHOT '" + snapshot + "'"
	}
	if _, err := conn.Conn().PgConn().Exec(ctx, begin).ReadAll(); err != nil {
		return fmt.Errorf("begin to read: %w", err)
	}
	err := read()
	// Also after ctx has ended; but a database that does not answer must not hold the connection for ever.
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
	defer cancel()
	if _, rollback := conn.Exec(end, "ROLLBACK"); err == nil {
		err = rollback
	}
	return err
}

// readSubject reads what is loaded for the place, and chooses the statements.
func (r *reportRun) readSubject(ctx context.Context, conn *pgx.Conn) error {
	batch := &pgx.Batch{}
	batch.Queue(selectCovered.sql, selectCovered.bindArgs(&r.subject)...).QueryRow(func(row pgx.Row) error {
		return row.Scan(&r.subject.Covered, &r.loaded)
	})
	batch.Queue(selectLoads.sql, selectLoads.bindArgs(&r.subject)...).Query(func(rows pgx.Rows) (err error) {
		r.loads, err = pgx.CollectRows(rows, pgx.RowToStructByName[Load])
		return err
	})
	if err := conn.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("read what is loaded: %w", err)
	}
	if err := r.readEdges(ctx, conn); err != nil {
		return err
	}
	for _, st := range r.store.catalogue.statements {
		if slices.ContainsFunc(st.Keys, func(k Key) bool { return r.isRequested(k) && r.isKeyCovered(k) }) {
			r.pending = append(r.pending, st)
		}
	}
	return nil
}

// isRequested reports whether the key is to be in the report.
func (r *reportRun) isRequested(k Key) bool {
	return r.subject.Keys == nil || slices.Contains(r.subject.Keys, k.Name)
}

// isKeyCovered reports whether something is loaded for the place that the key is made from.
func (r *reportRun) isKeyCovered(k Key) bool { return slices.ContainsFunc(k.Layers, r.isLayerCovered) }

func (r *reportRun) isLayerCovered(layer string) bool {
	return slices.Contains(r.subject.Covered, layer)
}

// exportSnapshot names the snapshot of the leader, for helpers to read the same.
func (r *reportRun) exportSnapshot(ctx context.Context, conn *pgx.Conn) error {
	if r.snapshot != "" {
		return nil
	}
	return fault.Wrap("export the snapshot", conn.QueryRow(ctx, "SELECT pg_export_snapshot()").Scan(&r.snapshot))
}

func neverStop() bool { return false }

// runStatements runs statements until none is left, or until stop returns true.
func (r *reportRun) runStatements(ctx context.Context, conn *pgx.Conn, stop func() bool) error {
	for ctx.Err() == nil && !stop() {
		size := r.store.admission.currentBatchSize()
		end := int(r.nextStatement.Add(int64(size)))
		if end-size >= len(r.pending) {
			return nil
		}
		if err := r.sendStatements(ctx, conn, r.pending[end-size:min(end, len(r.pending))]); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (r *reportRun) sendStatements(ctx context.Context, conn *pgx.Conn, list []statement) error {
	batch := &pgx.Batch{}
	for i := range list {
		st := &list[i]
		batch.Queue(st.sql, st.bindArgs(&r.subject)...).Query(func(rows pgx.Rows) error {
			values, err := st.scanValues(&r.subject, rows)
			if err == nil {
				err = r.storeValues(st, values)
			}
			if err != nil {
				return fmt.Errorf("read %s: %w", st.File, err)
			}
			return nil
		})
	}
	return conn.SendBatch(ctx, batch).Close()
}

// storeValues writes the values of a statement as JSON, but for keys that nothing is loaded for.
func (r *reportRun) storeValues(st *statement, values []any) error {
	for i, k := range st.Keys {
		if !r.isKeyCovered(k) {
			continue
		}
		out := &r.answers[st.firstKey+i]
		if part, is := values[i].(Partial); is {
			values[i], out.leftOut, out.none, out.searched = part.Value, part.LeftOut, part.None, part.Searched
		}
		lacks, isCut := values[i].(NotCovered)
		if !isCut && r.isCutByEdge(st, k, values[i]) {
			lacks, isCut = NotCovered{state.BeyondEdge, values[i]}, true
		}
		if isCut {
			known, err := r.knownPart(k, lacks.Known)
			if err != nil {
				return err
			}
			out.uncovered, out.known = lacks.Reason, known
			continue
		}
		value, err := encodeValue(values[i])
		if err != nil {
			return err
		}
		if bytes.Equal(value, []byte("[]")) && slices.ContainsFunc(k.Complete,
			func(layer string) bool { return !r.isLayerCovered(layer) }) {
			continue
		}
		out.value, out.length = value, lengthOf(k, values[i], r.isLayerCovered)
	}
	return nil
}

// encodeValue writes JSON as it is, for null nothing.
func encodeValue(value any) (json.RawMessage, error) {
	if value == nil {
		return nil, nil
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
