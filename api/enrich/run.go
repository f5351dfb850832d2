package enrich

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"arpent/app/fault"
)

// ErrGone means that the parcel is not served any more.
var ErrGone = errors.New("the parcel is not served any more")

// Report draws the report of a parcel. A statement that fails or is late fails the whole: a report with a hole in it
// would look like one that found nothing. It ends early when ctx does.
func (s *Store) Report(ctx context.Context, p Parcel) (*Report, error) {
	inner, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	r := &run{store: s, parcel: p, values: make([]json.RawMessage, len(contract))}
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
	return s.with(ctx, "", func(conn *pgx.Conn) error {
		if err := r.begin(ctx, conn); err != nil {
			return err
		}
		return r.share(ctx, conn)
	})
}

// share works through the statements with whoever has a turn to spare. The first that fails stops all.
func (r *run) share(ctx context.Context, conn *pgx.Conn) error {
	s := r.store
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
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
			if err := s.with(ctx, r.snapshot, func(conn *pgx.Conn) error { return r.work(ctx, conn, s.turns.crowded) }); err != nil {
				cancel(err)
			}
		})
	}
	if err := r.work(ctx, conn, never); err != nil {
		cancel(err)
	}
	others.Wait()
	return context.Cause(ctx)
}

// with runs what reads, in a transaction that sees one state of the database: that of snapshot, if there is one.
func (s *Store) with(ctx context.Context, snapshot string, read func(*pgx.Conn) error) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("reach the database: %w", err)
	}
	defer conn.Release()
	begin := "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	if snapshot != "" {
		begin += "; SET TRANSACTION SNAPSHOT '" + snapshot + "'"
	}
	if _, err := conn.Conn().PgConn().Exec(ctx, begin).ReadAll(); err != nil {
		return fmt.Errorf("begin to read: %w", err)
	}
	err = read(conn.Conn())
	if _, rollback := conn.Exec(context.WithoutCancel(ctx), "ROLLBACK"); err == nil {
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
	for _, st := range r.store.statements {
		if slices.ContainsFunc(st.keys, r.known) {
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

// work runs statements until none is left, or until leave says so.
func (r *run) work(ctx context.Context, conn *pgx.Conn, leave func() bool) error {
	for ctx.Err() == nil && !leave() {
		i := int(r.next.Add(1)) - 1
		if i >= len(r.todo) {
			return nil
		}
		st := &r.todo[i]
		into := make([]any, len(st.keys))
		for k, key := range st.keys {
			into[k] = new([]byte)
			if r.known(key) {
				into[k] = (*[]byte)(&r.values[st.places[k]])
			}
		}
		if err := conn.QueryRow(ctx, st.sql, r.args(st.args)...).Scan(into...); err != nil {
			return fmt.Errorf("read %s: %w", st.file, err)
		}
	}
	return ctx.Err()
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
