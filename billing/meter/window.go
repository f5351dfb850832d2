// Package meter decides whether a request is admitted, and counts it. It promises that at most N requests are
// admitted in any window of 60 seconds, that a client which keeps to N a minute is never refused, and that a counted
// request is neither forgotten (by more than one second before a crash) nor given back.
package meter

import "time"

const (
	// span is the length of the sliding window.
	span = time.Minute
	// Grace is how long a request may be held until a place becomes free. Without it, a client that sends exactly N
	// a minute would be refused whenever one request arrives a little early.
	Grace = 50 * time.Millisecond
)

// Window remembers the admissions of the last 60 seconds, the oldest first. Its zero value has admitted nothing.
// Times are microseconds on any clock; it is the resolution of Redis, so that both give the same answers.
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

// Passage is the answer of a window.
type Passage struct {
	Admitted bool
	// Wait, of an admitted request, is how long to hold it before serving: it counts from then on. Of a refused one it
	// is when there will be room; a request that costs more than the limit never has any, and waits a full window.
	Wait      time.Duration
	Remaining int           // how many more could be admitted now
	Reset     time.Duration // until the oldest admission leaves the window; 0 when it is empty
	Met       int           // of a refused one: the limit that it has to wait for
}

// Decide admits a request at now (microseconds), or refuses it, which costs the caller nothing. The state passed in
// must not be used again: like append, it hands its memory over to the one returned.
func Decide(now int64, w Window, limit Limit, cost int) (Window, Passage) {
	p := w.decide(now, limit, cost)
	return w, p
}

func (w *Window) decide(now int64, limit Limit, cost int) Passage {
	w.forget(now, limit.Grace)
	at := w.free(now, limit.PerMinute, cost)
	p := Passage{Admitted: at-now <= limit.Grace.Microseconds(), Wait: micros(at - now)}
	if p.Admitted {
		w.record(at, cost)
	} else {
		p.Met = limit.PerMinute
	}
	p.Remaining, p.Reset = w.room(now, limit.PerMinute)
	return p
}

// DecideBoth is Decide for a request that needs a place in two windows: it takes one in each, or none. The answer
// speaks of the second window, unless the first one has less room.
func DecideBoth(now int64, w, w2 Window, limit Limit, perMinute2, cost int) (Window, Window, Passage) {
	p := decideBoth(now, &w, &w2, limit, perMinute2, cost)
	return w, w2, p
}

func decideBoth(now int64, w, w2 *Window, limit Limit, perMinute2, cost int) Passage {
	w.forget(now, limit.Grace)
	w2.forget(now, limit.Grace)
	at, met := w2.free(now, perMinute2, cost), perMinute2
	if first := w.free(now, limit.PerMinute, cost); first > at {
		at, met = first, limit.PerMinute
	}
	p := Passage{Admitted: at-now <= limit.Grace.Microseconds(), Wait: micros(at - now)}
	if p.Admitted {
		w.record(at, cost)
		w2.record(at, cost)
	} else {
		p.Met = met
	}
	p.Remaining, p.Reset = w2.room(now, perMinute2)
	if remaining, reset := w.room(now, limit.PerMinute); remaining < p.Remaining {
		p.Remaining, p.Reset = remaining, reset
	}
	return p
}

// room is how many more could be admitted, and when the oldest admission leaves.
func (w *Window) room(now int64, perMinute int) (remaining int, reset time.Duration) {
	if w.count > 0 {
		reset = micros(w.ring[w.first] + span.Microseconds() - now)
	}
	return max(0, perMinute-w.count), reset
}

func micros(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

// forget drops the admissions that have left the window (now − 60 s, now]. A clock that was set back makes every
// admission as young as it can be: that never admits more than the limit, and never refuses for longer than a window.
func (w *Window) forget(now int64, grace time.Duration) {
	if w.count == 0 {
		return
	}
	if ahead := w.last() - now; ahead > grace.Microseconds() {
		for i := range w.count {
			w.ring[w.place(i)] -= ahead
		}
	}
	for w.count > 0 && w.ring[w.first] <= now-span.Microseconds() {
		w.first = w.place(1)
		w.count--
	}
}

// free is the first time, now or later, at which cost more admissions fit.
func (w *Window) free(now int64, perMinute, cost int) int64 {
	at := now
	if w.count > 0 {
		at = max(at, w.last())
	}
	if cost > perMinute {
		return at + span.Microseconds()
	}
	if over := w.count + cost - perMinute; over > 0 {
		at = max(at, w.ring[w.place(over-1)]+span.Microseconds())
	}
	return at
}

// record notes cost admissions at a time that is not before the last one.
func (w *Window) record(at int64, cost int) {
	for range cost {
		if w.count == len(w.ring) {
			w.grow()
		}
		w.ring[w.place(w.count)] = at
		w.count++
	}
}

// withdraw takes back the latest admissions at that time, cost of them at most. The others keep their order.
func (w *Window) withdraw(at int64, cost int) {
	for i := w.count - 1; i >= 0 && cost > 0 && w.ring[w.place(i)] >= at; i-- {
		if w.ring[w.place(i)] != at {
			continue
		}
		for j := i; j < w.count-1; j++ {
			w.ring[w.place(j)] = w.ring[w.place(j+1)]
		}
		w.count--
		cost--
	}
}

func (w *Window) last() int64     { return w.ring[w.place(w.count-1)] }
func (w *Window) place(i int) int { return (w.first + i) & (len(w.ring) - 1) }

// grow doubles the memory. It never exceeds twice what was admitted in a window, so a high limit that is not used
// costs nothing.
func (w *Window) grow() {
	ring := make([]int64, max(8, 2*len(w.ring)))
	for i := range w.count {
		ring[i] = w.ring[w.place(i)]
	}
	w.ring, w.first = ring, 0
}

// rest gives the memory back when nothing is remembered.
func (w *Window) rest() {
	if w.count == 0 {
		*w = Window{}
	}
}
