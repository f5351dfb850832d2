package stripesim

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"
)

// resendAfter are the pauses, in the simulation's time, before an event that was not taken is sent again.
var resendAfter = []time.Duration{5 * time.Second, time.Minute, 10 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour,
	12 * time.Hour, 24 * time.Hour, 24 * time.Hour}

// Order is how held events go out.
type Order string

// The orders of Release.
const (
	AsHappened Order = "as_happened"
	Reverse    Order = "reverse"
	Random     Order = "random"
)

// Delivery is one attempt to deliver an event.
type Delivery struct {
	EventID, Type string
	Attempt       int // from 1
	Status        int // of the answer; 0: none came
	Err           string
}

// parcel is an event on its way.
type parcel struct {
	event    Event
	due      time.Time // in the simulation's time
	attempts int
}

// post delivers events, one after the other.
type post struct {
	client      *http.Client
	realNow     func() time.Time // signatures are of the hour that the receiver has
	now         func() time.Time
	stop, wake  chan struct{}
	ended       chan struct{}
	cancel      context.CancelFunc
	ctx         context.Context
	mu          sync.Mutex // never held while the simulator's is asked for
	url, secret string
	held        bool
	times, drop int // each event is sent so often; so many events are lost from now on
	delay       time.Duration
	waiting     []*parcel
	inFlight    int
	deliveries  []Delivery
	changed     chan struct{} // closed at the next change
}

func newPost(client *http.Client, url, secret string, realNow, now func() time.Time) *post {
	p := &post{client: client, url: url, secret: secret, realNow: realNow, now: now, times: 1, stop: make(chan struct{}),
		wake: make(chan struct{}, 1), ended: make(chan struct{}), changed: make(chan struct{})}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p
}

func (p *post) close() {
	close(p.stop)
	p.cancel()
	<-p.ended
}

// poke makes the post look again.
func (p *post) poke() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *post) update(do func()) {
	p.mu.Lock()
	do()
	close(p.changed)
	p.changed = make(chan struct{})
	p.mu.Unlock()
	p.poke()
}

func (p *post) setTarget(url, secret string) {
	p.update(func() { p.url, p.secret = url, secret })
}

// take accepts an event for delivery.
func (p *post) take(e Event, at time.Time) {
	p.update(func() {
		if p.drop > 0 {
			p.drop--
			return
		}
		for range p.times {
			p.waiting = append(p.waiting, &parcel{event: e, due: at.Add(p.delay)})
		}
	})
}

func (p *post) run() {
	defer close(p.ended)
	for {
		next := p.next(p.now())
		if next == nil {
			select {
			case <-p.stop:
				return
			case <-p.wake:
			}
			continue
		}
		p.deliver(next)
	}
}

// next takes the first that may go.
func (p *post) next(now time.Time) *parcel {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := p.ready(now)
	if i < 0 || p.ctx.Err() != nil {
		return nil
	}
	next := p.waiting[i]
	p.waiting = slices.Delete(p.waiting, i, i+1)
	p.inFlight++
	return next
}

func (p *post) ready(now time.Time) int {
	if p.held || p.url == "" {
		return -1
	}
	return slices.IndexFunc(p.waiting, func(w *parcel) bool { return !w.due.After(now) })
}

func (p *post) deliver(w *parcel) {
	p.mu.Lock()
	url, secret := p.url, p.secret
	p.mu.Unlock()
	w.attempts++
	d := Delivery{EventID: w.event.ID, Type: w.event.Type, Attempt: w.attempts}
	d.Status, d.Err = p.send(url, secret, w.event.Body)
	now := p.now()
	p.update(func() {
		p.inFlight--
		p.deliveries = append(p.deliveries, d)
		if (d.Status < 200 || d.Status > 299) && w.attempts <= len(resendAfter) {
			w.due = now.Add(resendAfter[w.attempts-1])
			p.waiting = append(p.waiting, w)
		}
	})
}

func (p *post) send(url, secret string, body []byte) (int, string) {
	req, err := http.NewRequestWithContext(p.ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("User-Agent", "Stripe/1.0 (simulation)")
	req.Header.Set("Stripe-Signature", Sign(body, secret, p.realNow()))
	res, err := p.client.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<20)) // so that the connection is used again
	return res.StatusCode, ""
}

// Hold keeps events back until Release.
func (s *Simulator) Hold() { s.posts.update(func() { s.posts.held = true }) }

// Release sends everything that waits, what is delayed or was refused too, and gives the number. The seed is Random's.
func (s *Simulator) Release(order Order, seed uint64) int {
	p, n := s.posts, 0
	p.update(func() {
		switch order {
		case Reverse:
			slices.Reverse(p.waiting)
		case Random:
			dice := rand.New(rand.NewPCG(seed, seed))
			dice.Shuffle(len(p.waiting), func(i, j int) { p.waiting[i], p.waiting[j] = p.waiting[j], p.waiting[i] })
		}
		for _, w := range p.waiting {
			w.due = time.Time{}
		}
		p.held, n = false, len(p.waiting)
	})
	return n
}

// Times says how often each event from now on is sent.
func (s *Simulator) Times(n int) { s.posts.update(func() { s.posts.times = max(n, 1) }) }

// Drop loses the next n events: they are never sent, though Events and the API know them.
func (s *Simulator) Drop(n int) { s.posts.update(func() { s.posts.drop = n }) }

// Delay holds each event from now on back for a time of the simulation.
func (s *Simulator) Delay(d time.Duration) { s.posts.update(func() { s.posts.delay = d }) }

// Repeat sends events once more: the ones named, or all so far.
func (s *Simulator) Repeat(ids ...string) int {
	n := 0
	for _, e := range s.Events() {
		if len(ids) == 0 || slices.Contains(ids, e.ID) {
			s.posts.update(func() { s.posts.waiting = append(s.posts.waiting, &parcel{event: e}) })
			n++
		}
	}
	return n
}

// Deliveries are the attempts so far.
func (s *Simulator) Deliveries() []Delivery {
	s.posts.mu.Lock()
	defer s.posts.mu.Unlock()
	return slices.Clone(s.posts.deliveries)
}

// Quiet waits until everything that may go has gone. What is held, delayed or to be tried again later does not count.
func (s *Simulator) Quiet(ctx context.Context) error {
	for {
		now := s.Now()
		s.posts.mu.Lock()
		quiet, changed := s.posts.inFlight == 0 && s.posts.ready(now) < 0, s.posts.changed
		s.posts.mu.Unlock()
		if quiet {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
