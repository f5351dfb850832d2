package shared

import "time"

const (
	// Span is the length of the sliding window.
	Span = time.Minute
	// Grace is how long a request may be held until a place becomes free. Without it, a client that sends
	// exactly N a minute would be rejected whenever one request arrives a little early.
	Grace = 50 * time.Millisecond
)

// Window remembers the admissions of the last 60 seconds, the oldest first. Its zero value
// has admitted nothing. Times are microseconds on any clock; it is the resolution of
// Redis, so that both give the same answers.
type Window struct {
	ring  []int64 // its length is a power of two
	first int     // where the oldest is
	count int
}

// Limit is what a window may admit.
type Limit struct {
	PerMinute int
	Grace     time.Duration // how long a request may be held
}

// Decision is the answer of a window.
type Decision struct {
	Admitted bool
	// Wait, of an admitted request, is how long to hold it before serving: it counts from
	// then on. Of a rejected one it is when it will fit; a request that costs more than the
	// limit never does, and waits a full window.
	Wait      time.Duration
	Remaining int           // how many more could be admitted now
	Reset     time.Duration // until the oldest admission leaves the window; 0 when it is empty
	Met       int           // of a rejected one: the limit that it has to wait for
}

// Decide admits a request at now (microseconds), or rejects it, which costs the caller nothing.
func (w *Window) Decide(now int64, limit Limit, cost int) Decision {
	w.dropExpired(now, limit.Grace)
	at := w.firstFreeTime(now, limit.PerMinute, cost)
	d := Decision{Admitted: at-now <= limit.Grace.Microseconds(), Wait: Micros(at - now)}
	if d.Admitted {
		w.recordAdmissions(at, cost)
	} else {
		d.Met = limit.PerMinute
	}
	d.Remaining, d.Reset = w.remainingPlaces(now, limit.PerMinute)
	return d
}

// DecideBoth is Decide for a request that needs a place in two windows: it takes one in each, or none. The
// answer speaks of the second window, unless fewer places are left in the first one.
func DecideBoth(now int64, w, w2 *Window, limit Limit, perMinute2, cost int) Decision {
	w.dropExpired(now, limit.Grace)
	w2.dropExpired(now, limit.Grace)
	at, met := w2.firstFreeTime(now, perMinute2, cost), perMinute2
	if first := w.firstFreeTime(now, limit.PerMinute, cost); first > at {
		at, met = first, limit.PerMinute
	}
	d := Decision{Admitted: at-now <= limit.Grace.Microseconds(), Wait: Micros(at - now)}
	if d.Admitted {
		w.recordAdmissions(at, cost)
		w2.recordAdmissions(at, cost)
	} else {
		d.Met = met
	}
	d.Remaining, d.Reset = w2.remainingPlaces(now, perMinute2)
	if remaining, reset := w.remainingPlaces(now, limit.PerMinute); remaining < d.Remaining {
		d.Remaining, d.Reset = remaining, reset
	}
	return d
}

// remainingPlaces is how many more could be admitted, and when the oldest admission leaves.
func (w *Window) remainingPlaces(now int64, perMinute int) (n int, reset time.Duration) {
	if w.count > 0 {
		reset = Micros(w.ring[w.first] + Span.Microseconds() - now)
	}
	return max(0, perMinute-w.count), reset
}

// Micros is a duration of so many microseconds.
func Micros(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

// Count drops the admissions that have left the window, and counts the others.
func (w *Window) Count(now int64, grace time.Duration) int {
	w.dropExpired(now, grace)
	return w.count
}

// Within counts the admissions that have not left the window, and drops none.
func (w *Window) Within(now int64) int {
	left := 0
	for left < w.count && w.ring[w.ringIndex(left)] <= now-Span.Microseconds() {
		left++
	}
	return w.count - left
}

// dropExpired drops the admissions that have left the window (now − 60 s, now]. A clock that was
// set back makes every admission as young as it can be: that never admits more than the limit,
// and never rejects for longer than a window.
func (w *Window) dropExpired(now int64, grace time.Duration) {
	if w.count == 0 {
		return
	}
	if ahead := w.lastTime() - now; ahead > grace.Microseconds() {
		for i := range w.count {
			w.ring[w.ringIndex(i)] -= ahead
		}
	}
	for w.count > 0 && w.ring[w.first] <= now-Span.Microseconds() {
		w.first = w.ringIndex(1)
		w.count--
	}
}

// firstFreeTime is the first time, now or later, at which cost more admissions fit.
func (w *Window) firstFreeTime(now int64, perMinute, cost int) int64 {
	at := now
	if w.count > 0 {
		at = max(at, w.lastTime())
	}
	if cost > perMinute {
		return at + Span.Microseconds()
	}
	if over := w.count + cost - perMinute; over > 0 {
		at = max(at, w.ring[w.ringIndex(over-1)]+Span.Microseconds())
	}
	return at
}

// recordAdmissions notes cost admissions at a time that is not before the last one.
func (w *Window) recordAdmissions(at int64, cost int) {
	for range cost {
		if w.count == len(w.ring) {
			w.grow()
		}
		w.ring[w.ringIndex(w.count)] = at
		w.count++
	}
}

// Withdraw takes back the latest admissions at that time, cost of them at most. The others keep their order.
func (w *Window) Withdraw(at int64, cost int) {
	for i := w.count - 1; i >= 0 && cost > 0 && w.ring[w.ringIndex(i)] >= at; i-- {
		if w.ring[w.ringIndex(i)] != at {
			continue
		}
		for j := i; j < w.count-1; j++ {
			w.ring[w.ringIndex(j)] = w.ring[w.ringIndex(j+1)]
		}
		w.count--
		cost--
	}
}

func (w *Window) lastTime() int64     { return w.ring[w.ringIndex(w.count-1)] }
func (w *Window) ringIndex(i int) int { return (w.first + i) & (len(w.ring) - 1) }

// grow doubles the memory. It never exceeds twice what was admitted in a window, so a
// high limit that is not used costs nothing.
func (w *Window) grow() {
	ring := make([]int64, max(8, 2*len(w.ring)))
	for i := range w.count {
		ring[i] = w.ring[w.ringIndex(i)]
	}
	w.ring, w.first = ring, 0
}

// Release is Count, and gives the memory back when nothing is remembered.
func (w *Window) Release(now int64, grace time.Duration) int {
	if w.Count(now, grace) == 0 {
		*w = Window{}
	}
	return w.count
}
