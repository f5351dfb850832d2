// Package shared is the store, a Redis, in which several instances decide together: the windows and the day
// of an account count there for all of them. It also holds the sliding window by which one instance decides
// alone: at most N requests are admitted in any 60 seconds, and a client that keeps to N a minute is never
// rejected.
package shared

import (
	"cmp"
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"

	"arpent/internal/clock"
)

const (
	// A store that is gone is noticed at once, by the error. One that takes longer than
	// callTimeout stalls, and is lost when it has not answered for lostAfter: giving it up hands
	// each instance a whole limit of its own.
	callTimeout = 400 * time.Millisecond
	lostAfter   = 3 * time.Second
	probeEvery  = 250 * time.Millisecond // while the store is away
	batchSize   = 256

	registerEvery = time.Second
	instancesKey  = "arpent:instances"
)

var (
	//go:embed admit.lua
	admitSource string
	//go:embed giveback.lua
	refundSource string
	//go:embed used.lua
	usedSource string
	//go:embed record.lua
	recordSource string
	//go:embed instances.lua
	instancesSource string

	admitScript     = redis.NewScript(admitSource)
	refundScript    = redis.NewScript(refundSource)
	usedScript      = redis.NewScript(usedSource)
	recordScript    = redis.NewScript(recordSource)
	instancesScript = redis.NewScript(instancesSource)
)

// Store decides for all instances. Requests that arrive while a call is under way go together in the next
// one. Each carries the least that was used, as the instance knows it from PostgreSQL and from what it
// counted itself: it seeds a store that is empty, and corrects one that missed something. Nothing corrects a
// count that is too high; so what may have been counted is always given back.
type Store struct {
	client redis.UniversalClient
	up     atomic.Bool
	calls  chan *Call
	wake   clock.Signal // there is something to send

	name         string       // of this instance
	instances    atomic.Int64 // of the last minute, this one included
	registered   time.Time    // this and the next belong to Run
	fewerFrom    time.Time
	order        uint64       // of the last answer
	stalledUntil atomic.Int64 // Unix nanoseconds; 0: no stall yet
	changed      atomic.Pointer[time.Time]

	Timing Timing // changed by tests alone, before Connect

	mu           sync.Mutex
	refunds      map[Day]int
	unreconciled []unreconciledAdmission
	discards     []unusedAdmission
	lateCalls    []lateCall
}

// Timing is how long the store is waited for.
type Timing struct {
	Slow    time.Duration // after which an exchange stalls
	GiveUp  time.Duration // after which an exchange is lost
	Request time.Duration // that a request waits
}

// Call is a request on its way. Either Run takes it, to send or to reject it, or its owner stops waiting and
// it is never sent: a decision that arrives after its refund would stay counted.
type Call struct {
	Answer  Answer
	Sent    bool // its owner stopped waiting, but Run had taken it
	request Request
	err     error
	done    chan struct{}
	taken   atomic.Bool
}

var (
	// ErrSlow: the store is still there, but slow to answer.
	ErrSlow = errors.New("the shared store is slow to answer")
	// ErrMissed: the store is lost, and may have decided all the same.
	ErrMissed = errors.New("the shared store may have decided, but the answer was missed")

	errUnavailable = errors.New("the shared store is away")
)

// Open makes a store of an address that Client takes. It does not touch the network.
func Open(url string) (*Store, error) {
	client, err := Client(url)
	if err != nil {
		return nil, err
	}
	s := &Store{
		client: client, name: rand.Text(),
		// the calls before, and ours
		Timing: Timing{Slow: callTimeout, GiveUp: lostAfter, Request: 3 * callTimeout},
		calls:  make(chan *Call, 4*batchSize), wake: clock.NewSignal(), refunds: map[Day]int{},
	}
	s.markChanged()
	return s, nil
}

// Client makes a client of a redis:// or unix:// address. One that names further nodes,
// ?addr=host:port&addr=…, is of a Redis Cluster: all keys of one account are in one slot.
func Client(url string) (redis.UniversalClient, error) {
	logging.Disable() // its lines have a form of their own; what they say is in the errors it returns
	quiet := &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	if o, err := redis.ParseURL(url); err == nil {
		o.DialTimeout = cmp.Or(o.DialTimeout, callTimeout)
		// shorter with a context's deadline
		o.ReadTimeout, o.WriteTimeout = cmp.Or(o.ReadTimeout, lostAfter), cmp.Or(o.WriteTimeout, lostAfter)
		o.ContextTimeoutEnabled = true
		o.MaxRetries = -1 // a decision sent twice would count twice
		o.DialerRetries, o.PoolSize, o.DisableIdentity = 1, 2, true
		o.MaintNotificationsConfig = quiet
		return redis.NewClient(o), nil
	}
	o, err := redis.ParseClusterURL(url)
	if err != nil || len(o.Addrs) < 2 {
		// may hold a password
		return nil, errors.New("read the Redis address: it is not a redis:// or unix:// address")
	}
	o.DialTimeout = cmp.Or(o.DialTimeout, callTimeout)
	o.ReadTimeout, o.WriteTimeout = cmp.Or(o.ReadTimeout, lostAfter), cmp.Or(o.WriteTimeout, lostAfter)
	o.ContextTimeoutEnabled = true
	// a redirection is followed by sending again what a connection lost, too
	o.MaxRetries, o.MaxRedirects = -1, -1
	o.DialerRetries, o.PoolSize, o.DisableIdentity = 1, 2, true
	o.MaintNotificationsConfig = quiet
	return redis.NewClusterClient(o), nil
}

// Up reports whether the store is there.
func (s *Store) Up() bool { return s.up.Load() }

// Decide asks the store. Without an answer in time the caller decides alone: the error is ErrSlow, ErrMissed,
// or says that the store is away. With ErrSlow comes the call of an account. An anonymous client does not
// wait behind many others: a flood of them must not hold up accounts.
func (s *Store) Decide(r Request) (*Call, error) {
	switch {
	case !s.up.Load():
		return nil, errUnavailable
	case r.Address.IsValid() && (s.Stalled() || len(s.calls) >= batchSize):
		return nil, ErrSlow
	}
	c := &Call{request: r, done: make(chan struct{})}
	timeout := time.NewTimer(s.Timing.Request)
	defer timeout.Stop()
	select {
	case s.calls <- c: // a full queue moves on as fast as the store answers
	case <-timeout.C:
		return c, ErrSlow
	}
	select {
	case <-c.done:
		return c, c.err
	case <-timeout.C:
		c.Sent = !c.taken.CompareAndSwap(false, true)
		return c, ErrSlow
	}
}

// Used counts what an account has used over all instances: admissions of the last minute, those of
// enrichments, and requests of the day, -1 where the store does not know. false: the store does not answer.
func (s *Store) Used(ctx context.Context, d Day) (n [3]int, ok bool) {
	if !s.up.Load() {
		return n, false
	}
	ctx, cancel := context.WithTimeout(ctx, s.Timing.Slow)
	defer cancel()
	list, err := usedScript.Run(ctx, s.client, append(windowKeys(d.Account), d.redisKey())).Int64Slice()
	if err != nil || len(list) != len(n) {
		return n, false
	}
	return [3]int{int(list[0]), int(list[1]), int(list[2])}, true
}

// Run connects to Redis, reconnects after a loss, and sends queued calls in batches until ctx ends; then it
// sends a last batch and the refunds that are waiting.
func (s *Store) Run(ctx context.Context) {
	defer s.client.Close() // nothing is lost: the counts are in PostgreSQL
	defer s.rejectWaiting()
	defer s.up.Store(false)
	if !s.up.Load() {
		s.Connect(ctx)
	}
	probe := time.NewTicker(probeEvery)
	defer probe.Stop()
	for {
		var calls []*Call
		select {
		case <-ctx.Done():
			s.sendBatch(ctx, s.takeWaiting(nil))
			return
		case <-probe.C:
			if !s.up.Load() {
				s.rejectWaiting() // connecting may take longer than they wait
				s.Connect(ctx)
			}
		case <-s.wake:
		case c := <-s.calls:
			calls = s.takeWaiting(c)
		}
		s.sendBatch(ctx, calls)
	}
}

// takeWaiting gives the calls that wait, whose owners still do. first, if any, has left the queue already.
func (s *Store) takeWaiting(first *Call) (calls []*Call) {
	for c := first; len(calls) < batchSize; c = nil {
		if c == nil {
			select {
			case c = <-s.calls:
			default:
				return calls
			}
		}
		if c.taken.CompareAndSwap(false, true) {
			calls = append(calls, c)
		}
	}
	return calls
}

// rejectWaiting answers the waiting calls, which will not be sent, with errUnavailable.
func (s *Store) rejectWaiting() {
	for calls := s.takeWaiting(nil); len(calls) > 0; calls = s.takeWaiting(nil) {
		for _, c := range calls {
			c.err = errUnavailable
			close(c.done)
		}
	}
}

// sendBatch asks for a batch of decisions, after sending what the store does not know yet.
func (s *Store) sendBatch(ctx context.Context, calls []*Call) {
	d := s.takeReconciliation()
	isEmpty := len(d.unreconciled) == 0 && len(d.discards) == 0 && len(d.refunds) == 0
	if len(calls) == 0 && isEmpty && time.Since(s.registered) < registerEvery {
		return
	}
	err := errUnavailable
	if s.up.Load() {
		err = s.runExchange(ctx, calls, &d)
	}
	if err != nil && s.up.Load() {
		s.markChanged()
		s.up.Store(false)
		slog.ErrorContext(ctx, "redis unavailable, limiting locally", "error", err)
	}
	for _, c := range calls {
		c.err = err
		close(c.done)
	}
}

func (s *Store) runExchange(ctx context.Context, calls []*Call, d *reconciliation) (err error) {
	timeout := s.Timing.GiveUp
	if ctx.Err() != nil {
		timeout = s.Timing.Slow // the last one
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	end := s.watchStall()
	defer func() { end(err == nil) }()
	pipe := s.client.Pipeline()
	d.addToPipeline(ctx, pipe)
	registration := s.addRegistration(ctx, pipe)
	answers := make([]*redis.Cmd, len(calls))
	for i, c := range calls {
		answers[i] = c.request.addToPipeline(ctx, pipe)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		// What is given back twice is corrected. Admissions that were not reported are not queued again: a minute
		// that counts twice cannot be corrected.
		s.mu.Lock()
		for k, n := range d.refunds {
			s.refunds[k] += n
		}
		s.mu.Unlock()
		return fmt.Errorf("%w: %w", ErrMissed, err)
	}
	s.countInstances(registration)
	for i, c := range calls {
		if err := c.parseAnswer(answers[i]); err != nil {
			return err
		}
		s.order++
		c.Answer.Order = s.order
	}
	return nil
}

// Connect finds out whether the store is there, and gives it the scripts.
func (s *Store) Connect(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	for _, script := range []*redis.Script{admitScript, refundScript, usedScript, recordScript,
		instancesScript} {
		if script.Load(ctx, s.client).Err() != nil {
			return // the loss was logged; it is looked for again soon
		}
	}
	registration := instancesScript.EvalSha(ctx, s.client, []string{instancesKey}, s.name)
	if registration.Err() != nil {
		return // such as a cluster that lacks a node
	}
	s.countInstances(registration)
	s.markChanged()
	s.up.Store(true)
	slog.InfoContext(ctx, "redis connected, limits are shared")
}
