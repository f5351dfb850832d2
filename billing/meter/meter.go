package meter

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/singleflight"

	"arpent/app/base/clock"
	"arpent/app/base/ident"
	"arpent/billing"
)

// Class says which windows a request must pass.
type Class uint8

// The classes. An enrichments request passes the account's window and the tighter one of enrichments.
const (
	Standard Class = iota
	Enrichments
)

// Refusal says which limit a request met.
type Refusal uint8

// The refusals.
const (
	None   Refusal = iota
	Minute         // the account's, or the tighter one of enrichments
	Day            // the account's quota
	KeyDay         // what the key's owner allows it in a day
)

// Request asks for one admission.
type Request struct {
	Account   ident.AccountID
	Key       ident.KeyID
	Class     Class
	Limits    billing.Limits
	KeyPerDay int       // what the key may use of the account's day; 0: all of it
	Cost      int       // at least 1
	At        time.Time // when it arrived, on the meter's clock; zero: now
}

// Verdict is the answer to a request, and what the response headers say. It goes back to Done.
type Verdict struct {
	Refusal    Refusal
	Wait       time.Duration // of an admitted request: how long to hold it before serving
	RetryAfter time.Duration // of a refused one
	Limit      int           // a minute; of enrichments, for one of those
	Met        int           // of a refused one: the limit it met, which for enrichments may be another than Limit
	Remaining  int
	ResetAfter time.Duration
	QuotaLimit int
	QuotaUsed  int   // this request included
	QuotaReset int64 // Unix seconds at which the next quota day begins

	account  *account
	key      ident.KeyID
	class    Class
	capped   bool // admitted by a key with a cap, which counts it too
	shared   bool // the shared store counts it too, or may
	day      *day
	cost     int
	at       int64 // where the admission is in the local windows
	seen     int64 // Unix seconds
	floor    int64 // what is known to have been counted before
	keyFloor int64 // of its key
}

// Options of a Meter.
type Options struct {
	Pool       *pgxpool.Pool
	Clock      clock.Clock
	Operations []string      // names; a request's operation is an index into them
	RedisURL   string        // empty: limits are this instance's own
	FlushEvery time.Duration // 0: 300 ms
}

const shardCount = 64

// Meter admits and counts requests. The counts live in memory and are written behind: a crash loses what was counted
// since the last flush, less than a second.
type Meter struct {
	clock      clock.Clock
	start      time.Time
	operations []string
	calendar   calendar
	shards     [shardCount]shard
	ledger     *ledger
	shared     *shared // nil without Redis
	every      time.Duration
	asking     singleflight.Group
	flushing   sync.Mutex

	lastFlush atomic.Int64 // Unix nanoseconds
	failing   atomic.Bool  // the last flush did
	unwritten atomic.Int64 // answers in a batch that is not acknowledged
}

// New makes a meter. Run must be running for its counts to be kept.
func New(o Options) (*Meter, error) {
	m := &Meter{clock: o.Clock, start: o.Clock.Now(), operations: o.Operations, ledger: newLedger(o.Pool, o.Operations), every: o.FlushEvery}
	if m.every == 0 {
		m.every = 300 * time.Millisecond
	}
	m.lastFlush.Store(m.start.UnixNano())
	for i := range m.shards {
		m.shards[i].accounts = map[ident.AccountID]*account{}
	}
	if o.RedisURL != "" {
		s, err := newShared(o.RedisURL)
		if err != nil {
			return nil, err
		}
		m.shared = s
	}
	return m, nil
}

// Admit decides on a request. Every verdict, refusals included, is to be given back to Done exactly once. It never
// fails: what it cannot ask, it decides with what it knows.
func (m *Meter) Admit(ctx context.Context, r Request) (v Verdict) {
	wall := r.At
	if wall.IsZero() {
		wall = m.clock.Now()
	}
	today := m.calendar.at(wall)
	s := &m.shards[uint64(r.Account)%shardCount]
	s.mu.Lock()
	a := s.account(r.Account, today)
	if !a.known && wall.UnixMilli() >= a.askAgainAt {
		d := a.day
		s.mu.Unlock()
		m.learn(ctx, r.Account, d)
		s.mu.Lock()
		a = s.account(r.Account, today)
	}
	if r.KeyPerDay > 0 && a.mustLearn(r.Key, wall) {
		d := a.day
		s.mu.Unlock()
		m.learnKey(ctx, r.Account, r.Key, d)
		s.mu.Lock()
		a = s.account(r.Account, today)
	}
	a.admit(wall.Sub(m.start).Microseconds(), &r, &v)
	if v.Refusal == None && m.shared != nil {
		a.addUndecided(&v, v.cost)
	}
	s.mu.Unlock()
	v.seen = wall.Unix()
	if v.Refusal == Day || v.Refusal == KeyDay {
		v.RetryAfter = v.day.left(wall)
	}
	if v.Refusal == None && m.shared != nil {
		m.share(&r, &v, wall)
	}
	return v
}

// share asks the shared store, which knows what other instances admitted, about a request that passes here. When it
// is slow, the request passes within this instance's share; when it is lost, the local verdict stands.
func (m *Meter) share(r *Request, v *Verdict, wall time.Time) {
	q := question{
		account: r.Account, class: r.Class, limits: r.Limits, cost: v.cost,
		day: v.day.date, floor: v.floor, keep: v.day.left(wall) + time.Hour,
		key: r.Key, keyPerDay: r.KeyPerDay, keyFloor: v.keyFloor,
	}
	if m.shared.stalled() && m.alone(r, v) {
		m.shared.owe(&q, time.Now())
		return
	}
	c, err := m.shared.decide(q)
	switch {
	case err == nil:
		m.follow(r, v, c, wall)
	case errors.Is(err, errSlow):
		admitted := m.alone(r, v)
		if !admitted {
			m.refuseAlone(v)
		}
		if v.shared = admitted && c.sent; c.sent {
			m.shared.later(c, admitted)
		} else if admitted {
			m.shared.owe(&q, time.Now())
		}
	default:
		m.keepLocal(v)
		if v.shared = errors.Is(err, errMissed); !v.shared {
			m.shared.owe(&q, time.Now())
		}
	}
}

// keepLocal lets the local verdict stand.
func (m *Meter) keepLocal(v *Verdict) {
	s := v.account.shard
	s.mu.Lock()
	v.account.addUndecided(v, -v.cost)
	s.mu.Unlock()
}

// follow does what the shared store decided. Just after a stall it may not know yet what others admitted without it:
// what is more than this instance's share is then refused all the same.
func (m *Meter) follow(r *Request, v *Verdict, c *call, wall time.Time) {
	ans := &c.answer
	if ans.refusal == None && m.shared.stalled() {
		if v.shared = m.alone(r, v); !v.shared {
			m.refuseAlone(v)
			m.shared.discard(c)
			return
		}
		v.Remaining, v.ResetAfter, v.QuotaUsed, v.Wait = ans.remaining, ans.reset, int(ans.used), max(v.Wait, ans.wait)
		return
	}
	v.shared, v.Met = ans.refusal == None, ans.met
	v.Refusal, v.Remaining, v.ResetAfter, v.QuotaUsed = ans.refusal, ans.remaining, ans.reset, int(ans.used)
	switch ans.refusal {
	case None:
		v.Wait = max(v.Wait, ans.wait)
	case Minute:
		v.Wait, v.RetryAfter = 0, ans.wait
	case Day, KeyDay:
		v.Wait, v.RetryAfter = 0, v.day.left(wall)
	}
	s := v.account.shard
	s.mu.Lock()
	defer s.mu.Unlock()
	v.account.answered(v, ans, m.shared.sharers())
	if v.Refusal == Minute {
		v.account.shut[r.Class] = shutBy(ans, r.Limits, v.cost, wall.Sub(m.start))
	}
}

// Done counts a request that was answered, and gives the quota used as the response is to show it. Answers 304 and
// 5xx do not count against the day, nor do refusals; all of them appear in the usage.
func (m *Meter) Done(v *Verdict, operation uint8, status int) int {
	admitted := v.Refusal == None
	counted := admitted && status != 304 && status < 500
	s := v.account.shard
	s.mu.Lock()
	s.countAnswer(v, m.operations, operation, status, counted)
	s.mu.Unlock()
	if !admitted || counted {
		return v.QuotaUsed
	}
	if v.shared {
		m.shared.refund(v)
	}
	return v.QuotaUsed - v.cost
}

// learnTimeout bounds how long the first request of an account in a day waits for its count.
const learnTimeout = 500 * time.Millisecond

// learn reads what an account has used of a day, before its first request here is admitted. Requests that arrive
// meanwhile wait for the same answer. Without one they go on with what is known, and it is asked again in a second.
func (m *Meter) learn(ctx context.Context, id ident.AccountID, d *day) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), learnTimeout)
	defer cancel()
	key := fmt.Sprintf("%d %d", id, d.date)
	used, err, _ := m.asking.Do(key, func() (any, error) { return m.ledger.used(ctx, id, d.date) })
	s := &m.shards[uint64(id)%shardCount]
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.account(id, d)
	switch {
	case a.day.date != d.date || a.known: // a flush has taught us in the meantime
	case err != nil:
		a.askAgainAt = m.clock.Now().Add(time.Second).UnixMilli()
	default:
		a.stored, a.known = used.(int64), true
	}
}
