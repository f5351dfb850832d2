package report

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/base/fault"
)

// ErrGone means that the parcel is not served any more.
var ErrGone = errors.New("the parcel is not served any more")

// Report draws the report of a parcel. A statement that fails or is late fails the whole: a report with a hole in it
// would look like one that found nothing. It ends early when ctx does.
func (s *Store) Report(ctx context.Context, p Parcel) (*Report, error) {
	inner, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	r := &run{store: s, parcel: p, values: make([]json.RawMessage, len(s.catalogue.keys))}
	err := r.draw(inner)
	switch {
	case err == nil:
		return &Report{Values: r.values, Loads: r.loads}, nil
	case errors.Is(err, ErrGone):
		return nil, ErrGone
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case inner.Err() != nil:
		return nil, fault.Down(fmt.Sprintf("The report was not ready within %g seconds. Try again.", s.timeout.Seconds()), err)
	default:
		return nil, fault.Down("The report cannot be drawn at the moment. Try again in a moment.", err)
	}
}

// run is one report being drawn.
type run struct {
	store    *Store
	parcel   Parcel
	shape    []byte
	covered  []string
	loads    []Load
	snapshot string
	todo     []statement
	next     atomic.Int64
	values   []json.RawMessage // each written by the one worker that has the statement
}

// draw leads: it reads what all statements need, calls others in, and works with them.
func (r *run) draw(ctx context.Context) error {
	s := r.store
	give, err := s.turns.take(ctx)
	if err != nil {
		return err
	}
	defer give()
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("reach the database: %w", err)
	}
	defer conn.Release()
	return within(ctx, conn, "", func() error {
		if err := r.begin(ctx, conn.Conn()); err != nil {
			return err
		}
		return r.share(ctx, conn.Conn())
	})
}

// share works through the statements with whoever has a turn to spare. The first that fails stops all.
func (r *run) share(ctx context.Context, conn *pgx.Conn) error {
	s := r.store
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	joining, enough := context.WithCancel(ctx)
	defer enough()
	var others sync.WaitGroup
	// A helper is worth its trouble for some statements, not for one or two.
	const worth = 4
	for left := len(r.todo); left >= 2*worth; left -= worth {
		give, ok := s.turns.help()
		if !ok {
			break
		}
		if err := r.export(ctx, conn); err != nil {
			give()
			cancel(err)
			break
		}
		others.Go(func() {
			defer give()
			if err := r.help(ctx, joining); err != nil {
				cancel(err)
			}
		})
	}
	if err := r.work(ctx, conn, never); err != nil {
		cancel(err)
	}
	enough()
	others.Wait()
	return context.Cause(ctx)
}

// help works on a connection of its own. One that cannot be had before joining ends is no failure: the leader does the
// work alone. A panic is the failure of this report, not the end of the process.
func (r *run) help(ctx, joining context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	conn, err := r.store.pool.Acquire(joining)
	if err != nil {
		return nil
	}
	defer conn.Release()
	return within(ctx, conn, r.snapshot, func() error { return r.work(ctx, conn.Conn(), r.store.turns.crowded) })
}

// within runs what reads in a transaction that sees one state of the database: that of snapshot, if there is one.
func within(ctx context.Context, conn *pgxpool.Conn, snapshot string, read func() error) error {
	begin := "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	if snapshot != "" {
		begin += "; SET TRANSACTION SNAPSHOT '" + snapshot + "'"
	}
	if _, err := conn.Conn().PgConn().Exec(ctx, begin).ReadAll(); err != nil {
		return fmt.Errorf("begin to read: %w", err)
	}
	err := read()
	// Also for those who have left; but a database that does not answer must not hold the turn for ever.
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelPatience)
	defer cancel()
	if _, rollback := conn.Exec(end, "ROLLBACK"); err == nil {
		err = rollback
	}
	return err
}

// begin reads the polygon and what is loaded for the place, and chooses the statements.
func (r *run) begin(ctx context.Context, conn *pgx.Conn) error {
	var loads []byte
	err := conn.QueryRow(ctx, r.store.begin, r.args(r.store.beginArgs)...).Scan(&r.shape, &r.covered, &loads)
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrGone
	}
	if err == nil {
		err = json.Unmarshal(loads, &r.loads)
	}
	if err != nil {
		return fmt.Errorf("begin the report: %w", err)
	}
	for _, st := range r.store.catalogue.statements {
		if slices.ContainsFunc(st.Keys, r.known) {
			r.todo = append(r.todo, st)
		}
	}
	return nil
}

// known tells whether something is loaded for the place that the key is made from.
func (r *run) known(k Key) bool {
	return slices.ContainsFunc(k.Layers, func(layer string) bool { return slices.Contains(r.covered, layer) })
}

// export names the state that the leader reads, for others to read the same.
func (r *run) export(ctx context.Context, conn *pgx.Conn) error {
	if r.snapshot != "" {
		return nil
	}
	if err := conn.QueryRow(ctx, "SELECT pg_export_snapshot()").Scan(&r.snapshot); err != nil {
		return fmt.Errorf("share the state of the database: %w", err)
	}
	return nil
}

func never() bool { return false }

// together is how many statements a worker sends at once: the database goes on with the next one while the answer to
// one is on its way.
const together = 3

// work runs statements until none is left, or until leave says so.
func (r *run) work(ctx context.Context, conn *pgx.Conn, leave func() bool) error {
	for ctx.Err() == nil && !leave() {
		end := int(r.next.Add(together))
		if end-together >= len(r.todo) {
			return nil
		}
		if err := r.send(ctx, conn, r.todo[end-together:min(end, len(r.todo))]); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (r *run) send(ctx context.Context, conn *pgx.Conn, list []statement) error {
	batch := &pgx.Batch{}
	for i := range list {
		st := &list[i]
		batch.Queue(st.sql, r.args(st.args)...).QueryRow(func(row pgx.Row) error {
			if err := row.Scan(r.into(st)...); err != nil {
				return fmt.Errorf("read %s: %w", st.File, err)
			}
			return nil
		})
	}
	return conn.SendBatch(ctx, batch).Close()
}

// into is where the values of a statement go; those of keys that nothing is loaded for go nowhere.
func (r *run) into(st *statement) []any {
	out := make([]any, len(st.Keys))
	for k, key := range st.Keys {
		out[k] = new([]byte)
		if r.known(key) {
			out[k] = (*[]byte)(&r.values[st.places[k]])
		}
	}
	return out
}

func (r *run) args(names []string) []any {
	out := make([]any, len(names))
	for i, name := range names {
		switch name {
		case "idu":
			out[i] = r.parcel.IDU
		case "shape":
			out[i] = r.shape
		case "commune":
			out[i] = r.parcel.Commune
		case "arrondissement":
			out[i] = r.parcel.Arrondissement
		case "departement":
			out[i] = r.parcel.Departement
		case "covered":
			out[i] = r.covered
		}
	}
	return out
}
