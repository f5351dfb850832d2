package shared

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"arpent/billing/meter/window"
)

// maxOwed bounds what is remembered for a store that is away: two minutes of 500 requests a second.
const maxOwed = 1 << 16

// owed is an admission that the store has not seen.
type owed struct {
	windows []string
	cost    int
	at      time.Time
}

// unused is an admission of the store's that nobody made use of.
type unused struct {
	windows []string
	cost    int
	at      int64 // as the store wrote it
}

// late is a call whose owner decided alone while the store was still to answer.
type late struct {
	call     *Call
	admitted bool
	at       time.Time
}

// Owe remembers an admission that the store has to know of. The day needs none of that: its count is in PostgreSQL,
// and comes with the next request.
func (s *Store) Owe(r *Request, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.owes) == maxOwed { // the oldest are first: no look at all of them for each request
		now := time.Now()
		expired := slices.IndexFunc(s.owes, func(o owed) bool { return now.Sub(o.at) <= window.Span })
		if expired < 0 {
			expired = maxOwed
		}
		s.owes = s.owes[expired:]
	}
	if len(s.owes) < maxOwed { // beyond that, they are counted here alone
		s.owes = append(s.owes, owed{r.windows(), r.Cost, at})
	}
	s.awake()
}

// Later remembers what was decided without the answer of a call that was sent: it is compared with the answer.
func (s *Store) Later(c *Call, admitted bool) {
	s.mu.Lock()
	s.lates = append(s.lates, late{c, admitted, time.Now()})
	s.mu.Unlock()
	s.awake()
}

// Discard takes an admission back from the store.
func (s *Store) Discard(c *Call) {
	r := &c.request
	s.mu.Lock()
	s.discards = append(s.discards, unused{r.windows(), r.Cost, c.Answer.at})
	s.mu.Unlock()
	s.Refund(r.Day, r.Cost, r.KeyPerDay > 0)
}

// Refund gives back what was counted of a day, and of that of the key where it is capped. It is sent with the next calls.
func (s *Store) Refund(d Day, cost int, capped bool) {
	s.mu.Lock()
	s.refunds[Day{Account: d.Account, Date: d.Date}] += cost
	if capped {
		s.refunds[d] += cost
	}
	s.mu.Unlock()
	s.awake()
}

// refundAgain keeps refunds whose answer was missed: what is given back twice is corrected. What is owed is not kept,
// since nothing corrects a minute that counts twice.
func (s *Store) refundAgain(refunds map[Day]int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, n := range refunds {
		s.refunds[k] += n
	}
}

// compare looks for the late calls that have their answer: what was decided alone has to be in the store once. Of a
// call whose answer is lost nobody knows; it was sent, and a store that comes back has most likely read it. The minute that
// it may have taken passes by itself; the day is given back.
func (s *Store) compare() {
	s.mu.Lock()
	lates := s.lates
	s.lates = nil
	s.mu.Unlock()
	var waiting []late
	for _, l := range lates {
		select {
		case <-l.call.done:
			s.compareOne(l)
		default:
			waiting = append(waiting, l)
		}
	}
	s.mu.Lock()
	s.lates = append(s.lates, waiting...)
	s.mu.Unlock()
}

func (s *Store) compareOne(l late) {
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
}

// debts is what the store has to know before it is asked anything.
type debts struct {
	owes     []owed
	discards []unused
	refunds  map[Day]int
}

func (d *debts) none() bool { return len(d.owes) == 0 && len(d.discards) == 0 && len(d.refunds) == 0 }

// takeDebts takes what there is to send.
func (s *Store) takeDebts() (d debts) {
	s.compare()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.up.Load() {
		return debts{}
	}
	d.owes, d.discards = s.owes, s.discards
	s.owes, s.discards = nil, nil
	if len(s.refunds) > 0 {
		d.refunds, s.refunds = s.refunds, map[Day]int{}
	}
	return d
}

// send adds them to a pipeline. Their answers are of no interest.
func (d *debts) send(ctx context.Context, pipe redis.Pipeliner) {
	for _, o := range d.owes {
		if age := time.Since(o.at); age < window.Span {
			recordScript.EvalSha(ctx, pipe, o.windows, o.cost, age.Microseconds())
		}
	}
	for _, u := range d.discards {
		for _, w := range u.windows {
			pipe.LRem(ctx, w, int64(-u.cost), u.at)
		}
	}
	for k, n := range d.refunds {
		giveBackScript.EvalSha(ctx, pipe, []string{k.name()}, n)
	}
}
