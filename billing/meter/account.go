package meter

import (
	"math"
	"slices"
	"sync"
	"time"

	"arpent/billing"
	"arpent/billing/meter/shared"
	"arpent/internal/clock"
	"arpent/internal/ident"
)

// shard is a part of the accounts under one lock. Nothing waits while it is held.
type shard struct {
	mu       sync.Mutex
	accounts map[ident.AccountID]*account
	dirty    []*account // have something to flush
	// What was counted for a day that is over for its account.
	lateQuota map[dayKey]int64
	lateUsage map[usageKey]tally
}

// dayKey names a count of a day: an account's, or of one of its keys.
type dayKey = shared.Day

type usageKey struct {
	dayKey
	hour        int64 // Unix seconds of its start
	operation   uint8
	statusClass uint8
}

// tally counts answers, and those of them that the quota counts.
type tally struct{ requests, counted int64 }

// account is what is known of an account: two windows, and the day it is in.
type account struct {
	id              ident.AccountID
	shard           *shard
	minute          shared.Window
	enrichments     shared.Window
	storeRejections [2]storeRejection // by class
	undecided       [2]int            // of the windows' admissions, those that the shared store has not decided
	ceilings        [2]ceiling        // by class

	day *day
	dayCount

	latest   int64 // the last request arrived then, on the clock of the windows
	inFlight int   // decisions that Done has not had back
	keys     []*keyUse
	recent   recentRequests
	dirty    bool
	readAt   time.Time // stored was, by Load or as invalidateStored asked
}

// dayCount is what an account or one of its keys has used of the day: stored (in PostgreSQL) + flushing (on
// its way there) + pending (counted here since) + reserved (admitted, not answered yet).
type dayCount struct {
	storedKnown bool  // stored was read, or returned by a flush
	readAgainAt int64 // Unix milliseconds; when it could not be read
	stored      int64
	flushing    int64
	pending     int64
	reserved    int64
	sharedUsed  int64 // as the shared store knew last, and what was admitted here without it
	missed      int   // batches whose total is not known: the key had no cap when they were gathered
}

// countedToday returns the requests that are known to have been counted today.
func (d *dayCount) countedToday() int64 { return d.stored + d.flushing + d.pending }

// applyFlushed moves a delta from flushing to stored. The total also holds what other instances wrote. A
// batch that was gathered before a key had a cap brings none: what is being read then may be from before it.
func (d *dayCount) applyFlushed(total int64, known bool) {
	if known {
		d.stored, d.storedKnown = total, true
	} else if d.flushing != 0 {
		d.stored += d.flushing
		d.missed++
	}
	d.flushing = 0
}

// countOf returns the count of the account, or of a key of it.
func (a *account) countOf(key ident.KeyID) *dayCount {
	if key == 0 {
		return &a.dayCount
	}
	return &a.findKeyUse(key).today.dayCount
}

// storeRejection remembers that the shared store admits nothing before a certain time. It holds for the
// limits and the cost it was asked with: until then a client that hammers is rejected without asking again.
type storeRejection struct {
	limits billing.Limits
	cost   int
	met    int
	until  int64 // on the clock of the windows
	reset  int64
}

// newStoreRejection caches a rejection by the shared store, given now, until its retry time.
func newStoreRejection(a *shared.Answer, limits billing.Limits, cost int, now time.Duration) storeRejection {
	return storeRejection{limits: limits, cost: cost, met: a.Met, until: (now + a.Wait).Microseconds(),
		reset: (now + a.Reset).Microseconds()}
}

// isActive reports whether the store need not be asked.
func (s *storeRejection) isActive(now int64, limits billing.Limits, cost int) bool {
	return now < s.until-shared.Grace.Microseconds() && s.limits == limits && s.cost <= cost
}

// rejectRequest applies the cached rejection.
func (s *storeRejection) rejectRequest(now int64, d *Decision) {
	d.Rejection, d.Met, d.Remaining = Minute, s.met, 0
	d.RetryAfter, d.ResetAfter = shared.Micros(s.until-now), shared.Micros(s.reset-now)
}

const statusClasses = 6 // 1 to 5; 0 stays empty

// findOrAddAccount finds or begins the state of an account in a day. It never moves an account back by a day:
// requests that overtake each other at midnight must not take it back and forth.
//
// A clock that was wrong by more than a day is trusted again at once. After a clock error of one day,
// requests count for the next day until it begins, in full and once; an account that used that day up waits
// for the day after or for a restart of the instance. Going back sooner would need all that was counted
// before the error, and part of that may not be written yet: the day would be granted twice.
func (s *shard) findOrAddAccount(id ident.AccountID, d *day) *account {
	a := s.accounts[id]
	if a == nil {
		a = &account{id: id, shard: s, day: d}
		s.accounts[id] = a
	}
	if d.date > a.day.date || d.date < a.day.date-1 {
		s.startDay(a, d)
	}
	return a
}

// startDay moves an account to a new quota day. What is left of the old day is kept for the next flush; the
// total of the new one has to be read, as other instances may have begun it.
func (s *shard) startDay(a *account, d *day) {
	if a.pending != 0 {
		s.addLateQuota(a.currentDayKey(), a.pending)
	}
	for _, k := range a.keys {
		k.takeTallies(a, s.addLateUsage)
		k.today = keyDay{}
	}
	a.day, a.dayCount = d, dayCount{}
}

// reconcileDelay is how long after a stall or a loss all instances have written what they admitted without
// the store: they do so every 300 ms, and PostgreSQL may be busy.
const reconcileDelay = time.Second

// invalidateStored has the counts of the day be read once more when a stall or a loss of the shared store
// began or ended, and again when PostgreSQL has what was admitted meanwhile. An instance where the account
// was idle knows of neither what was admitted elsewhere nor, afterwards, what was without the store: it reads
// the counts of an account's day on a request only.
func (a *account) invalidateStored(changed time.Time) {
	written := changed.Add(reconcileDelay)
	if !a.readAt.Before(written) {
		return
	}
	now := time.Now()
	if !a.readAt.Before(changed) && now.Before(written) {
		return
	}
	a.readAt, a.storedKnown, a.readAgainAt = now, false, 0
	for _, k := range a.keys {
		k.today.storedKnown, k.today.readAgainAt = false, 0
	}
}

// currentDayKey names the count of the account's day.
func (a *account) currentDayKey() dayKey { return dayKey{Account: a.id, Date: a.day.date} }

func (s *shard) addLateQuota(k dayKey, n int64) {
	if s.lateQuota == nil {
		s.lateQuota = map[dayKey]int64{}
	}
	s.lateQuota[k] += n
}

func (s *shard) addLateUsage(k usageKey, t tally) {
	if s.lateUsage == nil {
		s.lateUsage = map[usageKey]tally{}
	}
	sum := s.lateUsage[k]
	s.lateUsage[k] = tally{sum.requests + t.requests, sum.counted + t.counted}
}

// recordArrival gives the time at which a request counts: requests that overtake each other
// on their way here must not look like a clock that was set back. One that really was is
// believed once it is more than a window behind.
func (a *account) recordArrival(now int64) int64 {
	if behind := a.latest - now; behind > 0 && behind <= shared.Span.Microseconds() {
		return a.latest
	}
	a.latest = now
	return now
}

// admitRequest decides on a request with what is known here.
func (a *account) admitRequest(now int64, r *Request, v *Decision) {
	now = a.recordArrival(now)
	v.account, v.key, v.class, v.day, v.cost = a, r.Key, r.Class, a.day, max(1, r.Cost)
	v.QuotaLimit, v.QuotaReset, v.Limit = r.Limits.PerDay, a.day.end, r.Limits.PerMinute
	v.HasReserve, v.Reserve = r.Limits.HasReserve, r.Limits.Reserve
	v.floor = a.countedToday()
	a.inFlight++
	limit := shared.Limit{PerMinute: r.Limits.PerMinute, Grace: shared.Grace}
	used, take := v.floor+a.reserved, v.cost
	if used+int64(v.cost) > int64(r.Limits.AdmittedPerDay()) {
		// never fits: the windows answer for the headers and admit nothing
		v.Rejection, v.Met, take = Day, r.Limits.AdmittedPerDay(), math.MaxInt
	}
	if r.KeyPerDay > 0 {
		// Where the account's day is used up too, that is the reason given: waiting would help with neither, and
		// only the account's can be bought.
		d := &a.findKeyUse(r.Key).today
		v.capped, v.keyFloor = true, d.countedToday()
		if v.Rejection == None && v.keyFloor+d.reserved+int64(v.cost) > int64(r.KeyPerDay) {
			v.Rejection, v.Met, take = KeyDay, r.KeyPerDay, math.MaxInt
		}
	}
	shut := &a.storeRejections[r.Class]
	isShut := v.Rejection == None && shut.isActive(now, r.Limits, v.cost)
	if isShut {
		take = math.MaxInt
	}
	var p shared.Decision
	if r.Class == Enrichments {
		v.Limit = r.Limits.EnrichmentsPerMinute
		p = shared.DecideBoth(now, &a.minute, &a.enrichments, limit, v.Limit, take)
	} else {
		p = a.minute.Decide(now, limit, take)
	}
	v.Remaining, v.ResetAfter = p.Remaining, p.Reset
	switch {
	case isShut:
		shut.rejectRequest(now, v)
	case p.Admitted:
		v.Wait, v.at = p.Wait, now+p.Wait.Microseconds()
		a.addReserved(v, int64(v.cost))
		used += int64(v.cost)
	case v.Rejection == None:
		v.Rejection, v.Met, v.RetryAfter = Minute, p.Met, p.Wait
	}
	v.QuotaUsed = int(used)
}

// withdrawAdmission takes back an admission that the shared store rejected.
func (a *account) withdrawAdmission(v *Decision) {
	a.minute.Withdraw(v.at, v.cost)
	if v.class == Enrichments {
		a.enrichments.Withdraw(v.at, v.cost)
	}
	if a.day.date == v.day.date {
		a.addReserved(v, -int64(v.cost))
	}
}

// addReserved takes a place in the day, or gives it back.
func (a *account) addReserved(v *Decision, n int64) {
	a.reserved += n
	if v.capped {
		a.findKeyUse(v.key).today.reserved += n
	}
}

// countAnswer counts an answer on the day its request was admitted.
func (s *shard) countAnswer(v *Decision, operations []string, answer *Answer, counted bool) {
	a := v.account
	a.inFlight--
	t := tally{requests: 1}
	if counted {
		t.counted = int64(v.cost)
	}
	k := a.findKeyUse(v.key)
	k.lastUsed = max(k.lastUsed, v.seen)
	k.requests++
	if v.Rejection != None {
		k.recordRejection(v)
	}
	a.recent.addRequest(v, answer)
	if k.tallies == nil {
		k.tallies = make([]tally, len(operations)*statusClasses)
	}
	if !a.dirty {
		a.dirty = true
		s.dirty = append(s.dirty, a)
	}
	class := uint8(min(max(answer.Status/100, 1), 5))
	hour := v.seen - v.seen%3600
	if a.day.date != v.day.date {
		s.addLateUsage(usageKey{v.dayOfKey(), hour, answer.Operation, class}, t)
		if counted {
			s.addLateQuota(dayKey{Account: a.id, Date: v.day.date}, t.counted)
		}
		return
	}
	if v.Rejection == None {
		a.addReserved(v, -int64(v.cost))
	}
	a.pending += t.counted
	k.today.pending += t.counted
	if hour > k.hour { // a request that was overtaken at the turn of an hour counts in the later one
		k.takeTallies(a, s.addLateUsage)
		k.hour = hour
	}
	sum := &k.tallies[int(answer.Operation)*statusClasses+int(class)]
	sum.requests += t.requests
	sum.counted += t.counted
}

// releaseIdle frees the memory of idle accounts. What an account used of today stays: with PostgreSQL away,
// its next request would otherwise begin the day at zero.
func (s *shard) releaseIdle(now int64, today clock.Date) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, a := range s.accounts {
		if a.inFlight > 0 || a.dirty || a.flushing != 0 {
			continue
		}
		a.enrichments.Release(now, shared.Grace)
		asleep := a.minute.Release(now, shared.Grace) == 0
		if asleep {
			a.keys = slices.DeleteFunc(a.keys, func(k *keyUse) bool { return !k.today.capped })
			a.recent.list = nil
		}
		if asleep && a.day.date < today {
			delete(s.accounts, id)
		}
	}
}
