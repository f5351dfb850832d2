package stripesim

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"arpent/internal/clock"
)

// resendDelays are the pauses, in the simulation's time, before an event that was not taken is sent again.
var resendDelays = []time.Duration{5 * time.Second, time.Minute, 10 * time.Minute, time.Hour, 3 * time.Hour,
	24 * time.Hour}

// delivery is an event on its way.
type delivery struct {
	event    Event
	due      time.Time // in the simulation's time
	attempts int
}

// webhookSender delivers events, one after the other.
type webhookSender struct {
	client  *http.Client
	realNow func() time.Time // signatures are of the hour that the receiver has
	now     func() time.Time
	ctx     context.Context
	cancel  context.CancelFunc
	wake    clock.Signal
	ended   chan struct{}

	mu          sync.Mutex // never held while the simulator's is asked for
	url, secret string
	held        bool
	waiting     []*delivery
	inFlight    bool
	changed     chan struct{} // closed at the next change
}

func newWebhookSender(url string, realNow, now func() time.Time) *webhookSender {
	p := &webhookSender{client: &http.Client{Timeout: 10 * time.Second}, url: url, secret: DefaultWebhookSecret,
		realNow: realNow, now: now,
		wake: clock.NewSignal(), ended: make(chan struct{}), changed: make(chan struct{})}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p
}

func (p *webhookSender) updateState(do func()) {
	p.mu.Lock()
	do()
	close(p.changed)
	p.changed = make(chan struct{})
	p.mu.Unlock()
	p.wake.Notify()
}

// currentAddress returns where events go; empty: nowhere.
func (p *webhookSender) currentAddress() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.url
}

func (p *webhookSender) sendLoop() {
	defer close(p.ended)
	for p.ctx.Err() == nil {
		if next := p.takeNext(p.now()); next != nil {
			p.deliverEvent(next)
			continue
		}
		p.wake.Wait(p.ctx, 0)
	}
}

// takeNext takes the first that may go.
func (p *webhookSender) takeNext(now time.Time) *delivery {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := p.readyIndex(now)
	if i < 0 {
		return nil
	}
	next := p.waiting[i]
	p.waiting, p.inFlight = slices.Delete(p.waiting, i, i+1), true
	return next
}

func (p *webhookSender) readyIndex(now time.Time) int {
	if p.held || p.url == "" {
		return -1
	}
	return slices.IndexFunc(p.waiting, func(w *delivery) bool { return !w.due.After(now) })
}

func (p *webhookSender) deliverEvent(w *delivery) {
	p.mu.Lock()
	url, secret := p.url, p.secret
	p.mu.Unlock()
	taken := p.postEvent(url, secret, w.event.Body)
	w.attempts++
	now := p.now()
	p.updateState(func() {
		if p.inFlight = false; !taken && w.attempts <= len(resendDelays) {
			w.due = now.Add(resendDelays[w.attempts-1])
			p.waiting = append(p.waiting, w)
		}
	})
}

// postEvent delivers one event, and reports whether it was taken.
func (p *webhookSender) postEvent(url, secret string, body []byte) bool {
	req, err := http.NewRequestWithContext(p.ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return false
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("User-Agent", "Stripe/1.0 (simulation)")
	req.Header.Set("Stripe-Signature", Sign(body, secret, p.realNow()))
	res, err := p.client.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<20)) // so that the connection is used again
	return res.StatusCode >= 200 && res.StatusCode < 300
}

// Hold keeps events back until Release.
func (s *Simulator) Hold() { s.webhooks.updateState(func() { s.webhooks.held = true }) }

// ReleaseReversed sends everything that waits, what was refused too, the newest first.
func (s *Simulator) ReleaseReversed() {
	p := s.webhooks
	p.updateState(func() {
		slices.Reverse(p.waiting)
		for _, w := range p.waiting {
			w.due = time.Time{}
		}
		p.held = false
	})
}

// Quiet waits until everything that may go has gone. What is held or to be tried again later does not count.
func (s *Simulator) Quiet(ctx context.Context) error {
	for {
		now := s.Now()
		s.webhooks.mu.Lock()
		quiet, changed := !s.webhooks.inFlight && s.webhooks.readyIndex(now) < 0, s.webhooks.changed
		s.webhooks.mu.Unlock()
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
