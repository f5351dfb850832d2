package stripesim

import (
	"net/http"
	"net/http/httptest"
	"time"

	"arpent/internal/clock"
)

// Failure is a way in which the API fails.
type Failure string

// The failures that Fail knows.
const (
	Works     Failure = ""
	Down      Failure = "down" // the connection closes without an answer, nothing is done
	Error500  Failure = "500"  // nothing is done, and the answer is stored under the idempotency key
	TooMany   Failure = "429"
	Slow      Failure = "slow" // what was asked is done, the answer comes after 30 s
	LostReply Failure = "lost" // what was asked is done, the connection closes without an answer
)

const slowness = 30 * time.Second

// faults is how the next requests fail.
type faults struct {
	mode  Failure
	skip  int // requests that are answered before
	times int // 0: until the next Fail
}

// Fail makes the API fail: the next so many requests, or with 0 all until Fail(Works, 0). The pages work on.
func (s *Simulator) Fail(mode Failure, times int) { s.setFaults(faults{mode: mode, times: times}) }

// FailAfter answers so many requests, and makes the API fail from then on.
func (s *Simulator) FailAfter(requests int, mode Failure) {
	s.setFaults(faults{mode: mode, skip: requests})
}

func (s *Simulator) setFaults(f faults) { s.setLocked(func() { s.faults = f }) }

// takeFault is how one request fails.
func (s *Simulator) takeFault() Failure {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.faults.skip > 0 {
		s.faults.skip--
		return Works
	}
	mode := s.faults.mode
	if s.faults.times > 0 {
		if s.faults.times--; s.faults.times == 0 {
			s.faults = faults{}
		}
	}
	return mode
}

// failBefore fails a request before anything is done, and reports whether it did.
func (f Failure) failBefore(w http.ResponseWriter) bool {
	switch f {
	case Down:
		closeConn(w)
	case TooMany:
		errorAnswer(&apiError{status: http.StatusTooManyRequests,
			message: "Too many requests (simulated)."}).writeTo(w)
	default:
		return false
	}
	return true
}

// failAfter fails a request whose work is done.
func (f Failure) failAfter(w http.ResponseWriter, r *http.Request) bool {
	switch f {
	case LostReply:
		closeConn(w)
		return true
	case Slow:
		return !clock.Sleep(r.Context(), slowness)
	}
	return false
}

// SetBankDelay makes the bank slow: a request that charges a card for a change of plan is done at once, and
// answered after that time. The request of before, with the same idempotency key, is answered as late.
func (s *Simulator) SetBankDelay(d time.Duration) { s.setLocked(func() { s.bankDelay = d }) }

// awaitBank waits as long as the bank takes, and reports whether the client is still there.
func (s *Simulator) awaitBank(r *http.Request, params form) bool {
	s.mu.Lock()
	delay := s.bankDelay
	s.mu.Unlock()
	charges := r.Method == http.MethodPost && params.get("proration_behavior") == "always_invoice"
	return delay == 0 || !charges || clock.Sleep(r.Context(), delay)
}

// Transport answers requests in the goroutine of the caller, without the network: in a bubble of
// testing/synctest, whose time passes while the caller waits.
func (s *Simulator) Transport() http.RoundTripper { return handlerTransport{s.server.Handler} }

type handlerTransport struct{ handler http.Handler }

// RoundTrip implements http.RoundTripper.
func (m handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	m.handler.ServeHTTP(w, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return w.Result(), nil
}

// closeConn closes the connection.
func closeConn(w http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close()
	}
}
