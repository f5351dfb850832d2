package meter

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

const (
	// A store that is gone is noticed at once, by the error. One that takes longer than callTimeout stalls, and is lost
	// when it has not answered for lostAfter: giving it up hands each instance a whole limit of its own.
	callTimeout = 400 * time.Millisecond
	lostAfter   = 3 * time.Second
	probeEvery  = 250 * time.Millisecond // while the store is away
	batchSize   = 256
)

//go:embed admit.lua
var admitSource string

//go:embed giveback.lua
var giveBackSource string

//go:embed standing.lua
var standingSource string

var (
	admitScript    = redis.NewScript(admitSource)
	giveBackScript = redis.NewScript(giveBackSource)
	standingScript = redis.NewScript(standingSource)
)

// shared is the store in which several instances decide together. Requests that arrive while a call is under way go
// together in the next one. Each request carries the least that was used, as the instance knows it from PostgreSQL
// and from what it counted itself: it seeds a store that is empty, and corrects one that missed something. Nothing
// corrects a count that is too high; so what may have been counted is always given back.
type shared struct {
	client *redis.Client
	up     atomic.Bool
	calls  chan *call
	wake   chan struct{} // there is something to send

	name         string       // of this instance
	instances    atomic.Int64 // of the last minute, this one included
	registered   time.Time    // this and the next belong to run
	fewerFrom    time.Time
	order        uint64       // of the last answer
	stalledUntil atomic.Int64 // Unix nanoseconds; 0: no stall yet

	// Fixed but in tests.
	slowAfter time.Duration // an exchange stalls
	giveUp    time.Duration // an exchange is lost
	timeout   time.Duration // of a request

	mu       sync.Mutex
	refunds  map[dayOfKey]int // key 0: of the account
	owes     []owed
	discards []unused
	lates    []late
}

// call is a question on its way. Either run takes it, to send or to refuse it, or its owner stops waiting and nobody
// ever sends it: a decision that arrives after its refund would stay counted.
type call struct {
	question question
	answer   answer
	err      error
	done     chan struct{}
	taken    atomic.Bool
	sent     bool // its owner stopped waiting, but run had taken it
}

var (
	errAway   = errors.New("the shared store is away")
	errSlow   = errors.New("the shared store is slow to answer")
	errMissed = errors.New("the shared store may have decided, but the answer was missed")
)

func newShared(url string) (*shared, error) {
	o, err := redis.ParseURL(url)
	if err != nil {
		return nil, errors.New("read the Redis address: it is not a redis:// or unix:// address") // may hold a password
	}
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout = callTimeout, lostAfter, lostAfter // shorter where the context says so
	o.ContextTimeoutEnabled = true
	o.MaxRetries = -1 // a decision sent twice would count twice
	o.DialerRetries, o.PoolSize, o.DisableIdentity = 1, 2, true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return &shared{
		client: redis.NewClient(o), name: rand.Text(),
		slowAfter: callTimeout, giveUp: lostAfter, timeout: 3 * callTimeout, // the calls before, and ours
		calls: make(chan *call, 4*batchSize), wake: make(chan struct{}, 1), refunds: map[dayOfKey]int{},
	}, nil
}

// decide asks the store. Without an answer in time the caller decides alone: errSlow means that the store is still
// there, errMissed that it is lost and may have counted the request all the same.
func (s *shared) decide(q question) (*call, error) {
	c := &call{question: q, done: make(chan struct{})}
	if !s.up.Load() {
		return c, errAway
	}
	timeout := time.NewTimer(s.timeout)
	defer timeout.Stop()
	select {
	case s.calls <- c: // a full queue moves on as fast as the store answers
	case <-timeout.C:
		return c, errSlow
	}
	select {
	case <-c.done:
		return c, c.err
	case <-timeout.C:
		c.sent = !c.taken.CompareAndSwap(false, true)
		return c, errSlow
	}
}

// decideAnonymous is decide for an anonymous client. It does not wait behind many others: a flood of anonymous clients
// must not hold up accounts.
func (s *shared) decideAnonymous(address netip.Addr) (*call, error) {
	if s.stalled() || len(s.calls) >= batchSize {
		return nil, errSlow
	}
	return s.decide(question{address: address})
}

// refund gives back what a request was admitted for. It is sent with the next calls.
func (s *shared) refund(v *Verdict) {
	s.giveBack(dayOfKey{quotaKey{v.account.id, v.day.date}, v.key}, v.cost, v.capped)
}

func (s *shared) giveBack(of dayOfKey, cost int, capped bool) {
	s.mu.Lock()
	s.refunds[dayOfKey{quotaKey: of.quotaKey}] += cost
	if capped {
		s.refunds[of] += cost
	}
	s.mu.Unlock()
	s.awake()
}

func (s *shared) awake() {
	select {
	case s.wake <- struct{}{}:
	default: // awake already
	}
}

// run sends what is asked until ctx ends, and then the last refunds.
func (s *shared) run(ctx context.Context) {
	defer s.client.Close() // nothing is lost: the counts are in PostgreSQL
	defer s.refuse()
	defer s.up.Store(false)
	if !s.up.Load() {
		s.connect(ctx)
	}
	probe := time.NewTicker(probeEvery)
	defer probe.Stop()
	for {
		var calls []*call
		select {
		case <-ctx.Done():
			s.send(ctx, s.waiting(nil))
			return
		case <-probe.C:
			if !s.up.Load() {
				s.refuse() // connecting may take longer than they wait
				s.connect(ctx)
			}
		case <-s.wake:
		case c := <-s.calls:
			calls = s.waiting(c)
		}
		s.send(ctx, calls)
	}
}

// waiting gives the calls that wait, whose owners still do. first, if any, has left the queue already.
func (s *shared) waiting(first *call) (calls []*call) {
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

// refuse answers those who wait that nobody will ask for them.
func (s *shared) refuse() {
	for calls := s.waiting(nil); len(calls) > 0; calls = s.waiting(nil) {
		for _, c := range calls {
			c.err = errAway
			close(c.done)
		}
	}
}

// send asks for a batch of decisions, after sending what the store does not know yet.
func (s *shared) send(ctx context.Context, calls []*call) {
	d := s.takeDebts()
	if len(calls) == 0 && d.none() && time.Since(s.registered) < registerEvery {
		return
	}
	err := errAway
	if s.up.Load() {
		err = s.exchange(ctx, calls, &d)
	}
	if err != nil && s.up.Swap(false) {
		slog.ErrorContext(ctx, "the shared store is lost: limits are this instance's own until it is back", "error", err)
	}
	for _, c := range calls {
		c.err = err
		close(c.done)
	}
}

func (s *shared) exchange(ctx context.Context, calls []*call, d *debts) (err error) {
	timeout := s.giveUp
	if ctx.Err() != nil {
		timeout = callTimeout // the last one
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	end := s.watch()
	defer func() { end(err == nil) }()
	pipe := s.client.Pipeline()
	d.send(ctx, pipe)
	registration := s.register(ctx, pipe)
	answers := make([]*redis.Cmd, len(calls))
	for i, c := range calls {
		answers[i] = ask(ctx, pipe, &c.question)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		s.refundAgain(d.refunds)
		return fmt.Errorf("%w: %w", errMissed, err)
	}
	s.countInstances(registration)
	for i, c := range calls {
		if err := c.read(answers[i]); err != nil {
			return err
		}
		s.order++
		c.answer.order = s.order
	}
	return nil
}

// watch finds out whether an exchange stalls. The function that it gives ends it.
func (s *shared) watch() (end func(answered bool)) {
	stalled := make(chan struct{})
	timer := time.AfterFunc(s.slowAfter, func() { s.stall(); close(stalled) })
	return func(answered bool) {
		if !timer.Stop() {
			<-stalled
			s.endStall(answered)
		}
	}
}

// refundAgain keeps refunds whose answer was missed: what is given back twice is corrected. What is owed is not kept,
// since nothing corrects a minute that counts twice.
func (s *shared) refundAgain(refunds map[dayOfKey]int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, n := range refunds {
		s.refunds[k] += n
	}
}

// connect finds out whether the store is there, and gives it the scripts.
func (s *shared) connect(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	for _, script := range []*redis.Script{admitScript, giveBackScript, standingScript, recordScript, instancesScript} {
		if script.Load(ctx, s.client).Err() != nil {
			return // the loss was logged; it is looked for again soon
		}
	}
	s.countInstances(instancesScript.EvalSha(ctx, s.client, []string{instancesKey}, s.name))
	s.up.Store(true)
	slog.InfoContext(ctx, "limits are shared by all instances")
}
