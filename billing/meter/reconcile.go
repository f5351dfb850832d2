package meter

import (
	"context"
	_ "embed"
	"errors"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

// maxOwed bounds what is remembered for a store that is away: two minutes of 500 requests a second.
const maxOwed = 1 << 16

//go:embed record.lua
var recordSource string

var recordScript = redis.NewScript(recordSource)

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
	call     *call
	admitted bool
	at       time.Time
}

// owe remembers an admission that the store has to know of. The day needs none of that: its count is in PostgreSQL,
// and comes with the next question.
func (s *shared) owe(q *question, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.owes) == maxOwed { // the oldest are first: no look at all of them for each request
		now := time.Now()
		expired := slices.IndexFunc(s.owes, func(o owed) bool { return now.Sub(o.at) <= span })
		if expired < 0 {
			expired = maxOwed
		}
		s.owes = s.owes[expired:]
	}
	if len(s.owes) < maxOwed { // beyond that, they are counted here alone
		s.owes = append(s.owes, owed{q.windows(), q.cost, at})
	}
	s.awake()
}

// later remembers a call that is to be compared with its answer.
func (s *shared) later(c *call, admitted bool) {
	s.mu.Lock()
	s.lates = append(s.lates, late{c, admitted, time.Now()})
	s.mu.Unlock()
	s.awake()
}

// discard takes an admission back from the store.
func (s *shared) discard(c *call) {
	q := &c.question
	s.mu.Lock()
	s.discards = append(s.discards, unused{q.windows(), q.cost, c.answer.at})
	s.mu.Unlock()
	s.giveBack(dayOfKey{quotaKey{q.account, q.day}, q.key}, q.cost, q.keyPerDay > 0)
}

// compare looks for the late calls that have their answer: what was decided alone has to be in the store once. Of a
// call whose answer is lost nobody knows; it was sent, and a store that comes back has most likely read it.
func (s *shared) compare() {
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

func (s *shared) compareOne(l late) {
	c := l.call
	inStore := c.err == nil && c.answer.refusal == None
	switch {
	case errors.Is(c.err, errMissed):
	case inStore && !l.admitted:
		s.discard(c)
	case !inStore && l.admitted:
		s.owe(&c.question, l.at)
	}
}

// debts is what the store has to know before it is asked anything.
type debts struct {
	owes     []owed
	discards []unused
	refunds  map[dayOfKey]int
}

func (d *debts) none() bool { return len(d.owes) == 0 && len(d.discards) == 0 && len(d.refunds) == 0 }

// takeDebts takes what there is to send.
func (s *shared) takeDebts() (d debts) {
	s.compare()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.up.Load() {
		return debts{}
	}
	d.owes, d.discards = s.owes, s.discards
	s.owes, s.discards = nil, nil
	if len(s.refunds) > 0 {
		d.refunds, s.refunds = s.refunds, map[dayOfKey]int{}
	}
	return d
}

// send adds them to a pipeline. Their answers are of no interest.
func (d *debts) send(ctx context.Context, pipe redis.Pipeliner) {
	for _, o := range d.owes {
		if age := time.Since(o.at); age < span {
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
