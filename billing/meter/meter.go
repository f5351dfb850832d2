// Package meter decides whether a request is admitted, and counts it. Package window promises what is
// admitted in a minute; this one that a counted request is neither forgotten (by more than one second before
// a crash) nor given back. The limiter is written by hand because no library holds one request to a window, a
// tighter one and a day at once, over instances that share a store and without it.
package meter

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/singleflight"

	"arpent/billing"
	"arpent/billing/meter/shared"
	"arpent/internal/clock"
	"arpent/internal/ident"
)

// Class says which windows a request must pass.
type Class uint8

// The classes. An enrichments request passes the account's window and the tighter one of enrichments.
const (
	Standard Class = iota
	Enrichments
)

// Rejection says which limit a request met.
type Rejection uint8

// The rejections, with the numbers that the shared store has for them.
const (
	None   Rejection = iota
	Minute           // the account's, or the tighter one of enrichments
	Day              // the account's quota
	KeyDay           // what the key's owner allows it in a day
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

// Decision is the answer to a request, and what the response headers say. That of Admit goes back to Done.
type Decision struct {
	Rejection  Rejection
	Wait       time.Duration // of an admitted request: how long to hold it before serving
	RetryAfter time.Duration // of a rejected one
	Limit      int           // a minute; of enrichments, for one of those
	// of a rejected one: the limit it met, which for enrichments may be another than Limit
	Met        int
	Remaining  int
	ResetAfter time.Duration
	QuotaLimit int
	QuotaUsed  int // this request included
	HasReserve bool
	Reserve    int   // as in the limits of the request
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

// Admitted reports whether no limit was met.
func (v *Decision) Admitted() bool { return v.Rejection == None }

// MetEnrichments reports of what met a limit of the minute whether it is the lower one of enrichments.
func (v *Decision) MetEnrichments() bool { return v.class == Enrichments && v.Met == v.Limit }

// dayOfKey names the count of its key, on the day it was admitted.
func (v *Decision) dayOfKey() dayKey {
	return dayKey{Account: v.account.id, Date: v.day.date, Key: v.key}
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

// Meter admits and counts requests. The counts live in memory and are written behind: a crash loses what was
// counted since the last flush, less than a second.
type Meter struct {
	clock         clock.Clock
	start         time.Time
	operations    []string
	calendar      calendar
	shards        [shardCount]shard
	ledger        *ledger
	shared        *shared.Store // nil without Redis
	flushInterval time.Duration
	reads         singleflight.Group
	flushing      sync.Mutex

	lastFlush  atomic.Int64          // Unix nanoseconds
	flushError atomic.Pointer[error] // of the last flush; nil: it succeeded
	unwritten  atomic.Int64          // answers in a batch that is not acknowledged
}

// New makes a meter. Run must be running for its counts to be kept.
func New(o Options) (*Meter, error) {
	m := &Meter{clock: o.Clock, start: o.Clock.Now(), operations: o.Operations,
		ledger:        &ledger{db: o.Pool, operations: o.Operations, instance: rand.Text()},
		flushInterval: cmp.Or(o.FlushEvery, 300*time.Millisecond)}
	m.lastFlush.Store(m.start.UnixNano())
	for i := range m.shards {
		m.shards[i].accounts = map[ident.AccountID]*account{}
	}
	if o.RedisURL != "" {
		s, err := shared.Open(o.RedisURL)
		if err != nil {
			return nil, err
		}
		m.shared = s
	}
	return m, nil
}

// shardOf gives the part that an account is in.
func (m *Meter) shardOf(id ident.AccountID) *shard { return &m.shards[uint64(id)%shardCount] }

// Admit decides on a request. Every decision, rejections included, is to be given back to Done exactly once.
// It never fails: what it cannot ask, it decides with what it knows.
func (m *Meter) Admit(ctx context.Context, r Request) (v Decision) {
	wall := r.At
	if wall.IsZero() {
		wall = m.clock.Now()
	}
	today := m.calendar.dayAt(wall)
	s := m.shardOf(r.Account)
	s.mu.Lock()
	a := m.readAccount(ctx, s, &r, today, wall)
	a.admitRequest(wall.Sub(m.start).Microseconds(), &r, &v)
	shares := v.Admitted() && m.shared != nil
	if shares {
		a.addUndecided(&v, v.cost)
	}
	s.mu.Unlock()
	v.seen = wall.Unix()
	if v.Rejection == Day || v.Rejection == KeyDay {
		v.RetryAfter = v.day.timeLeft(wall)
	}
	if shares {
		m.askStore(ctx, &r, &v, wall)
	}
	return v
}

// readAccount gives the account of a request after reading what has to be read of its day.
// The lock of the shard is given up meanwhile.
func (m *Meter) readAccount(ctx context.Context, s *shard, r *Request, today *day, wall time.Time) *account {
	a := s.findOrAddAccount(r.Account, today)
	if m.shared != nil {
		a.invalidateStored(m.shared.Changed())
	}
	for i, key := range [...]ident.KeyID{0, r.Key} {
		if i > 0 { // what a key used today has to be read before its cap can be kept
			if r.KeyPerDay == 0 {
				break
			}
			a.findKeyUse(key).today.capped = true
		}
		if c := a.countOf(key); c.storedKnown || wall.UnixMilli() < c.readAgainAt {
			continue
		}
		d := a.day
		s.mu.Unlock()
		m.readUsed(ctx, dayKey{Account: r.Account, Date: d.date, Key: key}, d)
		s.mu.Lock()
		a = s.findOrAddAccount(r.Account, today)
	}
	return a
}

// Answer is the answer to a request, as it is counted and listed for the owner of the key.
type Answer struct {
	Operation uint8 // index into the operations of the meter
	Status    int
	RequestID [16]byte
	Took      time.Duration // until the answer was ready
	Reason    string        // code of the error; empty: none. A limit that was met is known to the meter
	Parameter string        // name of the parameter that was wrong; empty: none was
}

// Done counts a request that was answered, and gives the quota used as the response is to show it. Answers
// 304 and 5xx do not count against the day, nor do rejections; all of them appear in the usage.
func (m *Meter) Done(v *Decision, answer Answer) int {
	counted := v.Admitted() && answer.Status != 304 && answer.Status < 500
	s := v.account.shard
	s.mu.Lock()
	s.countAnswer(v, m.operations, &answer, counted)
	s.mu.Unlock()
	if !v.Admitted() || counted {
		return v.QuotaUsed
	}
	if v.shared {
		m.shared.Refund(v.dayOfKey(), v.cost, v.capped)
	}
	return v.QuotaUsed - v.cost
}

// readTimeout bounds how long the first request of an account in a day
// waits for its count. Tests alone change it.
var readTimeout = 500 * time.Millisecond

// readUsed reads what an account, or a key of it with a cap, has used of a day, before its first request here
// is admitted. Requests that arrive meanwhile wait for the same answer. Without one they go on
// with what is known, and it is read again in a second.
func (m *Meter) readUsed(ctx context.Context, of dayKey, d *day) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTimeout)
	defer cancel()
	_, _, _ = m.reads.Do(fmt.Sprintf("%d %d %d", of.Account, of.Key, of.Date), func() (any, error) {
		for range 3 { // a batch from before the key had a cap may be written while we read; there is one at most
			if m.readCount(ctx, of, d) {
				break
			}
		}
		return nil, nil
	})
}

// readCount reports whether there is nothing more to be read now.
func (m *Meter) readCount(ctx context.Context, of dayKey, d *day) bool {
	s := m.shardOf(of.Account)
	s.mu.Lock()
	before := s.findOrAddAccount(of.Account, d).countOf(of.Key).missed
	s.mu.Unlock()
	used, err := m.ledger.readUsage(ctx, of)
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.findOrAddAccount(of.Account, d)
	c := a.countOf(of.Key)
	switch {
	case a.day.date != d.date || c.storedKnown: // a flush has read it in the meantime
	case err != nil:
		c.readAgainAt = m.clock.Now().Add(time.Second).UnixMilli()
	case c.missed != before:
		return false
	default:
		c.stored, c.storedKnown = m.ledger.subtractFlushing(c.flushing, used), true
	}
	return true
}
