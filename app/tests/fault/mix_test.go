//go:build soak

package fault_test

import (
	"sync"
	"time"

	"arpent/app/dev/harness"
)

// traffic is requests of several kinds at a fixed rate, whatever the answers take: a request that waits keeps
// none of those that follow from being sent, as with many callers who know nothing of each other.
type traffic struct {
	Base     string
	Rate     int               // requests a second
	Requests []harness.Request // sent in turn
	Timeout  time.Duration     // of one answer; 0: that of a Client
	Clients  int               // requests under way at most, beyond which the next is late; 0: any number
	// Judge looks at each answer, from many goroutines at once, before its header and body are
	// forgotten. What it gives is kept as the grade.
	Judge func(*harness.Request, *harness.Answer) string
}

// outcome is what became of a request.
type outcome struct {
	*harness.Request
	Due            time.Time
	Sent, Received time.Time
	Status         int    // 0: there was no answer
	Grade          string // of Judge
	Err            error  // why there was none
}

// Took is the time from when the request was due to its answer, or to the end of the wait for one.
func (o *outcome) Took() time.Duration { return o.Received.Sub(o.Due) }

// Start sends the traffic until stop is called, which waits for what is under way and gives all
// outcomes in the order in which they were due.
func (m traffic) Start() (stop func() []outcome) {
	r := &running{mix: m, end: make(chan struct{}), ended: make(chan struct{})}
	go r.run()
	return func() []outcome {
		close(r.end)
		<-r.ended
		return r.outcomes
	}
}

// running is a mix that is being sent.
type running struct {
	mix        traffic
	end, ended chan struct{}

	mu       sync.Mutex
	idle     []*harness.Client
	outcomes []outcome
}

func (r *running) run() {
	defer close(r.ended)
	var wg sync.WaitGroup
	var places chan struct{}
	if r.mix.Clients > 0 {
		places = make(chan struct{}, r.mix.Clients)
	}
	begin := time.Now()
	for n := 0; ; n++ {
		due := begin.Add(time.Duration(n) * time.Second / time.Duration(r.mix.Rate))
		select {
		case <-r.end:
			wg.Wait()
			for _, c := range r.idle {
				c.Close()
			}
			return
		case <-time.After(time.Until(due)):
		}
		if places != nil {
			places <- struct{}{}
		}
		c, place := r.take(due)
		request := &r.mix.Requests[n%len(r.mix.Requests)]
		wg.Go(func() {
			r.send(c, request, due, place)
			if places != nil {
				<-places
			}
		})
	}
}

// take gives an idle client, and the place of the outcome.
func (r *running) take(due time.Time) (c *harness.Client, place int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcomes = append(r.outcomes, outcome{Due: due})
	place = len(r.outcomes) - 1
	if last := len(r.idle) - 1; last >= 0 {
		c, r.idle = r.idle[last], r.idle[:last]
		c.DropEnded()
		return c, place
	}
	c = harness.NewClient(r.mix.Base, "")
	if r.mix.Timeout > 0 {
		c.Timeout = r.mix.Timeout
	}
	return c, place
}

func (r *running) send(c *harness.Client, request *harness.Request, due time.Time, place int) {
	a, err := c.Send(request)
	o := outcome{Request: request, Due: due, Sent: a.Sent, Received: a.Received, Status: a.Status, Err: err}
	if err != nil {
		o.Status, o.Received = 0, time.Now()
	} else if r.mix.Judge != nil {
		o.Grade = r.mix.Judge(request, &a)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcomes[place] = o
	r.idle = append(r.idle, c)
}
