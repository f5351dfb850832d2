package shared

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

// maxUnreconciled bounds what is remembered for a store that is away: two minutes of 500 requests a second.
const maxUnreconciled = 1 << 16

// unreconciledAdmission is an admission that the store has not seen.
type unreconciledAdmission struct {
	windows []string
	cost    int
	at      time.Time
}

// unusedAdmission is an admission of the store's that no request made use of.
type unusedAdmission struct {
	windows []string
	cost    int
	at      int64 // as the store wrote it
}

// lateCall is a call whose owner decided alone while the store was still to answer.
type lateCall struct {
	call     *Call
	admitted bool
	at       time.Time
}

// Owe remembers an admission that the store has to know of. The day needs none of that: its count is in
// PostgreSQL, and comes with the next request.
func (s *Store) Owe(r *Request, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.unreconciled) == maxUnreconciled { // the oldest are first: no look at all of them for each request
		now := time.Now()
		expired := slices.IndexFunc(s.unreconciled,
			func(o unreconciledAdmission) bool { return now.Sub(o.at) <= Span })
		if expired < 0 {
			expired = maxUnreconciled
		}
		s.unreconciled = s.unreconciled[expired:]
	}
	if len(s.unreconciled) < maxUnreconciled { // beyond that, they are counted here alone
		s.unreconciled = append(s.unreconciled, unreconciledAdmission{r.neededWindows(), r.Cost, at})
	}
	s.wake.Notify()
}

// Later remembers what was decided without the answer of a call that
// was sent: it is compared with the answer.
func (s *Store) Later(c *Call, admitted bool) {
	s.mu.Lock()
	s.lateCalls = append(s.lateCalls, lateCall{c, admitted, time.Now()})
	s.mu.Unlock()
	s.wake.Notify()
}

// Discard takes an admission back from the store.
func (s *Store) Discard(c *Call) {
	r := &c.request
	s.mu.Lock()
	s.discards = append(s.discards, unusedAdmission{r.neededWindows(), r.Cost, c.Answer.at})
	s.mu.Unlock()
	s.Refund(r.Day, r.Cost, r.KeyPerDay > 0)
}

// Refund gives back what was counted of a day, and of that of the key where it
// is capped. It is sent with the next calls.
func (s *Store) Refund(d Day, cost int, capped bool) {
	s.mu.Lock()
	s.refunds[Day{Account: d.Account, Date: d.Date}] += cost
	if capped {
		s.refunds[d] += cost
	}
	s.mu.Unlock()
	s.wake.Notify()
}

// compareLateCalls looks for the late calls that have their answer: what was decided alone has to be in the
// store once. The decision of a call whose answer is lost is not known; it was sent, and a store that comes
// back has most likely read it. The minute that it may have taken passes by itself; the day is given back.
func (s *Store) compareLateCalls() {
	s.mu.Lock()
	lates := s.lateCalls
	s.lateCalls = nil
	s.mu.Unlock()
	var waiting []lateCall
	for _, l := range lates {
		select {
		case <-l.call.done:
			c := l.call
			missed, inStore := errors.Is(c.err, ErrMissed), c.err == nil && c.Answer.Admitted()
			switch {
			case missed && !l.admitted:
				s.Refund(c.request.Day, c.request.Cost, c.request.KeyPerDay > 0)
			case inStore && !l.admitted:
				s.Discard(c)
			case !missed && !inStore && l.admitted:
				s.Owe(&c.request, l.at)
			}
		default:
			waiting = append(waiting, l)
		}
	}
	s.mu.Lock()
	s.lateCalls = append(s.lateCalls, waiting...)
	s.mu.Unlock()
}

// reconciliation is what the store has to know before it is asked anything.
type reconciliation struct {
	unreconciled []unreconciledAdmission
	discards     []unusedAdmission
	refunds      map[Day]int
}

// takeReconciliation takes what the store has to know, to send it.
func (s *Store) takeReconciliation() (d reconciliation) {
	s.compareLateCalls()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.up.Load() {
		return reconciliation{}
	}
	d.unreconciled, d.discards = s.unreconciled, s.discards
	s.unreconciled, s.discards = nil, nil
	if len(s.refunds) > 0 {
		d.refunds, s.refunds = s.refunds, map[Day]int{}
	}
	return d
}

// addToPipeline adds them to a pipeline. Their answers are of no interest.
func (d *reconciliation) addToPipeline(ctx context.Context, pipe redis.Pipeliner) {
	for _, o := range d.unreconciled {
		if age := time.Since(o.at); age < Span {
			recordScript.EvalSha(ctx, pipe, o.windows, o.cost, age.Microseconds())
		}
	}
	for _, u := range d.discards {
		for _, w := range u.windows {
			pipe.LRem(ctx, w, int64(-u.cost), u.at)
		}
	}
	for k, n := range d.refunds {
		refundScript.EvalSha(ctx, pipe, []string{k.redisKey()}, n)
	}
}
