package meter

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

const (
	// A store that is gone is noticed at once, by the error; this is for one that hangs. A machine that is merely busy
	// may take a few tenths of a second: giving up then would hand each instance a whole limit of its own.
	callTimeout = 400 * time.Millisecond
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
	wake   chan struct{} // there is something to refund

	mu      sync.Mutex
	refunds map[dayOfKey]int // key 0: of the account
}

// call is a question on its way. Either run takes it, to send or to refuse it, or its owner stops waiting and nobody
// ever sends it: a decision that arrives after its refund would stay counted.
type call struct {
	question question
	answer   answer
	err      error
	done     chan struct{}
	taken    atomic.Bool
}

var (
	errAway   = errors.New("the shared store is away")
	errMissed = errors.New("the shared store may have decided, but the answer was missed")
)

func newShared(url string) (*shared, error) {
	o, err := redis.ParseURL(url)
	if err != nil {
		return nil, errors.New("read the Redis address: it is not a redis:// or unix:// address") // may hold a password
	}
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout = callTimeout, callTimeout, callTimeout
	o.ContextTimeoutEnabled = true
	o.MaxRetries = -1 // a decision sent twice would count twice
	o.DialerRetries, o.PoolSize, o.DisableIdentity = 1, 2, true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return &shared{
		client: redis.NewClient(o),
		calls:  make(chan *call, 4*batchSize), wake: make(chan struct{}, 1), refunds: map[dayOfKey]int{},
	}, nil
}

// decide asks the store. Without an answer in time the caller decides alone: errMissed tells it that the store may
// have counted the request all the same.
func (s *shared) decide(q question) (answer, error) {
	if !s.up.Load() {
		return answer{}, errAway
	}
	c := &call{question: q, done: make(chan struct{})}
	patience := time.NewTimer(3 * callTimeout) // the calls before, and ours: only a server that stops takes longer
	defer patience.Stop()
	select {
	case s.calls <- c: // a full queue moves on as fast as the store answers
	case <-patience.C:
		return answer{}, errAway
	}
	select {
	case <-c.done:
		return c.answer, c.err
	case <-patience.C:
		if c.taken.CompareAndSwap(false, true) {
			return answer{}, errAway
		}
		return answer{}, errMissed
	}
}

// refund gives back what a request was admitted for. It is sent with the next calls.
func (s *shared) refund(v *Verdict) {
	of := dayOfKey{quotaKey: quotaKey{v.account.id, v.day.date}}
	s.mu.Lock()
	s.refunds[of] += v.cost
	if v.capped {
		of.key = v.key
		s.refunds[of] += v.cost
	}
	s.mu.Unlock()
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

// send asks for a batch of decisions, and gives back what is to be given back.
func (s *shared) send(ctx context.Context, calls []*call) {
	s.mu.Lock()
	refunds := s.refunds
	if len(refunds) > 0 && s.up.Load() {
		s.refunds = map[dayOfKey]int{}
	} else {
		refunds = nil
	}
	s.mu.Unlock()
	if len(calls) == 0 && len(refunds) == 0 {
		return
	}
	err := errAway
	if s.up.Load() {
		err = s.exchange(context.WithoutCancel(ctx), calls, refunds)
	}
	if err != nil && s.up.Swap(false) {
		slog.ErrorContext(ctx, "the shared store is lost: limits are this instance's own until it is back", "error", err)
	}
	for _, c := range calls {
		c.err = err
		close(c.done)
	}
}

func (s *shared) exchange(ctx context.Context, calls []*call, refunds map[dayOfKey]int) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	pipe := s.client.Pipeline()
	for k, n := range refunds {
		giveBackScript.EvalSha(ctx, pipe, []string{k.name()}, n)
	}
	answers := make([]*redis.Cmd, len(calls))
	for i, c := range calls {
		answers[i] = ask(ctx, pipe, &c.question)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		s.refundAgain(refunds)
		return fmt.Errorf("%w: %w", errMissed, err)
	}
	for i, c := range calls {
		if err := c.read(answers[i]); err != nil {
			return err
		}
	}
	return nil
}

// refundAgain keeps refunds whose answer was missed: what is given back twice is corrected.
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
	for _, script := range []*redis.Script{admitScript, giveBackScript, standingScript} {
		if script.Load(ctx, s.client).Err() != nil {
			return // the loss was logged; it is looked for again soon
		}
	}
	s.up.Store(true)
	slog.InfoContext(ctx, "limits are shared by all instances")
}
