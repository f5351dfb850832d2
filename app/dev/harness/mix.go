package harness

import (
	"sync"
	"syscall"
	"time"
)

// Mix is traffic of several kinds at a fixed rate, whatever the answers take: a request that waits keeps none of those that
// follow from being sent, as with many callers who know nothing of each other.
type Mix struct {
	Base     string
	Rate     int           // requests a second
	Requests []Request     // sent in turn
	Timeout  time.Duration // of one answer; 0: that of a Client
	// Judge looks at each answer, from many goroutines at once, before its header and body are forgotten. What it gives is
	// kept as the grade.
	Judge func(*Request, *Answer) string
}

// Outcome is what became of a request.
type Outcome struct {
	*Request
	Due            time.Time
	Sent, Received time.Time
	Status         int    // 0: there was no answer
	Grade          string // of Judge
	Err            error  // why there was none
}

// Took is the time from when the request was due to its answer, or to the end of the wait for one.
func (o *Outcome) Took() time.Duration { return o.Received.Sub(o.Due) }

// Start sends the traffic until stop is called, which waits for what is under way and gives all outcomes in the order in
// which they were due.
func (m Mix) Start() (stop func() []Outcome) {
	r := &running{mix: m, end: make(chan struct{}), ended: make(chan struct{})}
	go r.run()
	return func() []Outcome {
		close(r.end)
		<-r.ended
		return r.outcomes
	}
}

// running is a mix that is being sent.
type running struct {
	mix        Mix
	end, ended chan struct{}

	mu       sync.Mutex
	idle     []*Client
	outcomes []Outcome
}

func (r *running) run() {
	defer close(r.ended)
	var wg sync.WaitGroup
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
		c, place := r.take(due)
		request := &r.mix.Requests[n%len(r.mix.Requests)]
		wg.Go(func() { r.send(c, request, due, place) })
	}
}

// take gives a client that nobody uses, and the place of the outcome.
func (r *running) take(due time.Time) (c *Client, place int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcomes = append(r.outcomes, Outcome{Due: due})
	place = len(r.outcomes) - 1
	if last := len(r.idle) - 1; last >= 0 {
		c, r.idle = r.idle[last], r.idle[:last]
		c.dropEnded()
		return c, place
	}
	c = NewClient(r.mix.Base, "")
	if r.mix.Timeout > 0 {
		c.timeout = r.mix.Timeout
	}
	return c, place
}

// dropEnded closes a connection that the server has ended while nobody used it, as every client does before it sends more.
func (c *Client) dropEnded() {
	raw, ok := c.conn.(syscall.Conn)
	if !ok {
		return
	}
	ended := true
	if access, err := raw.SyscallConn(); err == nil {
		_ = access.Read(func(fd uintptr) bool { // it fails for one that is closed
			n, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
			ended = n == 0 && err == nil || err != nil && err != syscall.EAGAIN
			return true
		})
	}
	if ended {
		c.Close()
	}
}

func (r *running) send(c *Client, request *Request, due time.Time, place int) {
	a, err := c.Send(request)
	o := Outcome{Request: request, Due: due, Sent: a.Sent, Received: a.Received, Status: a.Status, Err: err}
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
