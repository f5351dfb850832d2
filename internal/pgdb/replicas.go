package pgdb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/clock"
)

const (
	replicaPulse   = 300 * time.Millisecond // between two looks at a server
	replicaTimeout = time.Second            // how long it may take to answer
	replicaRetry   = time.Second
)

// Replicas are further servers that schema geo is read from: streaming replicas of the primary, or a pooler
// before one of them or before the primary. A server is read from once it has been seen to have every load
// that this instance knows of, and not after it was lost.
type Replicas struct {
	primary *pgxpool.Pool
	servers []*replica
	// announced counts the times that loads may have become active.
	announced atomic.Uint64
	next      atomic.Uint32
}

type replica struct {
	url, name string
	// reached is the last count of announced whose loads it is known to have; 0: none, or the server is lost.
	reached atomic.Uint64

	// What follows belongs to its watcher.
	target position // of the primary, with the loads of asked
	asked  uint64   // a count of announced; 0: the primary has not answered yet
	reason string   // it is not read from
}

// NewReplicas prepares servers, each with an address of its own. They
// are read from once Run has looked at them.
func NewReplicas(primary *pgxpool.Pool, urls []string) (*Replicas, error) {
	r := &Replicas{primary: primary}
	r.announced.Store(1)
	for _, url := range urls {
		cfg, err := pgx.ParseConfig(url)
		if err != nil {
			// pgx repeats the password
			return nil, errors.New("read the address of a replica: it is not a PostgreSQL address")
		}
		r.servers = append(r.servers, &replica{url: url, name: net.JoinHostPort(cfg.Host,
			strconv.Itoa(int(cfg.Port)))})
	}
	return r, nil
}

// Announce says that loads may have become active on the primary: no server is read from before it has them.
func (r *Replicas) Announce() { r.announced.Add(1) }

// InUse is how many servers are read from.
func (r *Replicas) InUse() (n int) {
	for _, s := range r.servers {
		if r.isCurrent(s) {
			n++
		}
	}
	return n
}

// Examine looks at each server once, and gives by its name why it is not to be read from; empty: it is.
func (r *Replicas) Examine(ctx context.Context) map[string]string {
	out := map[string]string{}
	for _, s := range r.servers {
		why, err := r.examineReplica(ctx, s)
		if err != nil {
			why = err.Error() // pgx leaves the password out
		}
		out[s.name] = why
	}
	return out
}

func (r *Replicas) examineReplica(ctx context.Context, s *replica) (why string, err error) {
	goal, err := r.primaryPosition(ctx)
	if err != nil {
		return "", fmt.Errorf("ask the primary: %w", err)
	}
	conn, err := s.openConn(ctx)
	if err != nil {
		return "", err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return checkPosition(ctx, conn, goal)
}

func (r *Replicas) isCurrent(s *replica) bool { return s.reached.Load() == r.announced.Load() }

// Run looks after the servers until ctx ends.
func (r *Replicas) Run(ctx context.Context) {
	ended := make(chan struct{})
	for _, s := range r.servers {
		go func() {
			defer func() { ended <- struct{}{} }()
			for ctx.Err() == nil {
				err := r.watchReplica(ctx, s)
				s.reached.Store(0)
				s.logState(ctx, fmt.Sprint(err))
				clock.Sleep(ctx, replicaRetry)
			}
		}()
	}
	for range r.servers {
		<-ended
	}
}

// logState logs why a server is not read from, or that it is, when that changes.
func (s *replica) logState(ctx context.Context, why string) {
	if why == s.reason || ctx.Err() != nil {
		return
	}
	s.reason = why
	switch why {
	case "":
		slog.InfoContext(ctx, "replica in use", "server", s.name)
	case lacksLastLoad: // as after each load
		slog.InfoContext(ctx, "replica not in use", "server", s.name, "reason", why)
	default:
		slog.WarnContext(ctx, "replica not in use", "server", s.name, "reason", why)
	}
}

// watchReplica looks at a server until it is lost.
func (r *Replicas) watchReplica(ctx context.Context, s *replica) error {
	conn, err := s.openConn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for {
		if now := r.announced.Load(); now != s.asked {
			if p, err := r.primaryPosition(ctx); err == nil { // else the primary does not answer, and is asked again
				s.target, s.asked = p, now
			}
		}
		if s.asked == 0 {
			err = pingWithin(ctx, conn, replicaTimeout)
		} else {
			err = s.updateReached(ctx, conn)
		}
		if err != nil {
			return err
		}
		if !clock.Sleep(ctx, replicaPulse) {
			return ctx.Err()
		}
	}
}

// updateReached compares a server with its goal.
func (s *replica) updateReached(ctx context.Context, conn *pgx.Conn) error {
	why, err := checkPosition(ctx, conn, s.target)
	if err != nil {
		return err
	}
	if why == "" {
		s.reached.Store(s.asked)
	} else {
		s.reached.Store(0)
	}
	s.logState(ctx, why)
	return nil
}

func (s *replica) openConn(ctx context.Context) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	cfg, err := pgx.ParseConfig(s.url)
	if err != nil {
		return nil, err
	}
	Read.Take(cfg)
	cfg.RuntimeParams["application_name"] = "arpent replica"
	cfg.DefaultQueryExecMode = pgx.QueryExecModeExec // a pooler may keep no prepared statement
	return pgx.ConnectConfig(ctx, cfg)
}

// position is a state of the primary: the server, and how far its log was written.
type position struct {
	system, database, log, started string
	timeline                       int64
}

// The position covers every transaction that is visible to any session, asynchronous commits included.
// Where it ends at a page of the log, replicas seem to lack a few bytes until something more is written: at
// worst they are not read from for that long.
const findPosition = `SELECT (SELECT system_identifier::text FROM pg_control_system()), current_database()::text,
	pg_current_wal_insert_lsn()::text, extract(epoch FROM pg_postmaster_start_time())::text,
	('x' || lpad(left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), 16, '0'))::bit(64)::bigint`

func (r *Replicas) primaryPosition(ctx context.Context) (p position, err error) {
	ctx, cancel := context.WithTimeout(ctx, replicaTimeout)
	defer cancel()
	err = r.primary.QueryRow(ForService(ctx), findPosition).Scan(&p.system, &p.database, &p.log, &p.started,
		&p.timeline)
	return p, err
}

// comparePosition gives the reason why a server is not to be read from; empty: there is none. One that
// follows no server has to be the primary itself, behind a pooler: a replica that was promoted goes on with
// data of its own, on the next timeline, and so do those that follow it. A replica keeps the timeline of
// what it has replayed in its control file, which it writes now and then: one that followed a new
// primary faithfully may be left out until then.
const comparePosition = `SELECT CASE
	WHEN (SELECT system_identifier::text FROM pg_control_system()) <> $1 OR current_database()::text <> $2 THEN 'it has another database'
	WHEN pg_is_in_recovery() AND (SELECT min_recovery_end_timeline FROM pg_control_recovery()) <> $5::bigint THEN 'it follows another primary'
	WHEN has_schema_privilege('account', 'USAGE') THEN 'its user may read accounts'
	WHEN NOT pg_is_in_recovery() AND extract(epoch FROM pg_postmaster_start_time())::text <> $4 THEN 'it follows no primary'
	WHEN pg_is_in_recovery() AND NOT coalesce(pg_last_wal_replay_lsn() >= $3::text::pg_lsn, false) THEN '` + lacksLastLoad + `'
	ELSE '' END`

const lacksLastLoad = "it lacks the last load"

func checkPosition(ctx context.Context, conn *pgx.Conn, p position) (why string, err error) {
	ctx, cancel := context.WithTimeout(ctx, replicaTimeout)
	defer cancel()
	err = conn.QueryRow(ctx, comparePosition, p.system, p.database, p.log, p.started, p.timeline).Scan(&why)
	return why, err
}

// Readers are the connections that one kind of reading has to the primary, and to each replica.
type Readers struct {
	primary  *pgxpool.Pool
	replicas *Replicas
	pools    []*pgxpool.Pool // by the order of the servers of replicas
}

// ReadFrom gives readers of the primary alone.
func ReadFrom(primary *pgxpool.Pool) *Readers {
	return &Readers{primary: primary, replicas: &Replicas{}}
}

// Open gives readers of the primary, and of replicas by the pools that config makes for
// their addresses. No server has to be there.
func (r *Replicas) Open(ctx context.Context, primary *pgxpool.Pool, config func(url string) (*pgxpool.Config,
	error)) (*Readers, error) {
	out := &Readers{primary: primary, replicas: r}
	for _, s := range r.servers {
		cfg, err := config(s.url)
		if err != nil {
			out.Close()
			return nil, err
		}
		pool, err := pgxpool.NewWithConfig(ctx, cfg)
		if err != nil {
			out.Close()
			return nil, fmt.Errorf("open the pool of a replica: %w", err)
		}
		out.pools = append(out.pools, pool)
	}
	return out, nil
}

// Close ends the connections to replicas.
func (r *Readers) Close() {
	for _, pool := range r.pools {
		pool.Close()
	}
}

// Read has read read from a replica, or from the primary where none is in use. When a
// replica fails, or has not answered in half of the time that ctx leaves, it is called
// again, with the primary. pgx.ErrNoRows is an answer.
func (r *Readers) Read(ctx context.Context, read func(context.Context, *pgxpool.Pool) error) error {
	if i, ok := r.replicas.pickServer(); ok {
		err := withHalfTimeout(ctx, func(ctx context.Context) error { return read(ctx, r.pools[i]) })
		if err == nil || errors.Is(err, pgx.ErrNoRows) || ctx.Err() != nil {
			return err
		}
		s := r.replicas.servers[i]
		s.reached.Store(0) // until its watcher has looked at it again
		slog.WarnContext(ctx, "replica failed, asking the primary", "server", s.name, "error", err)
	}
	return read(ctx, r.primary)
}

// pickServer takes turns.
func (r *Replicas) pickServer() (i int, ok bool) {
	first := int(r.next.Add(1))
	for n := range r.servers {
		if i = (first + n) % len(r.servers); r.isCurrent(r.servers[i]) {
			return i, true
		}
	}
	return 0, false
}

func withHalfTimeout(ctx context.Context, run func(context.Context) error) error {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/2)
		defer cancel()
	}
	return run(ctx)
}
