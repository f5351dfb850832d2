package stripesim

import (
	"net/http"
	"time"
)

// Failure is a way in which the API fails.
type Failure string

// The failures that Fail knows.
const (
	Works     Failure = ""
	Down      Failure = "down" // the connection closes without an answer, nothing is done
	Error500  Failure = "500"
	TooMany   Failure = "429"
	Slow      Failure = "slow" // what was asked is done, the answer comes after 30 s
	LostReply Failure = "lost" // what was asked is done, the connection closes without an answer
)

const slowness = 30 * time.Second

// faults is what the next requests meet.
type faults struct {
	mode  Failure
	skip  int // requests that are answered before
	times int // 0: until told otherwise
	late  time.Duration
}

// Fail makes the API fail: the next so many requests, or with 0 all until Fail(Works, 0). Pages and controls work on.
func (s *Simulator) Fail(mode Failure, times int) {
	s.fail(faults{mode: mode, times: times, late: slowness})
}

// FailAfter answers so many requests, and makes the API fail from then on.
func (s *Simulator) FailAfter(requests int, mode Failure) {
	s.fail(faults{mode: mode, skip: requests, late: slowness})
}

// FailSlowly makes answers late.
func (s *Simulator) FailSlowly(after time.Duration) { s.fail(faults{mode: Slow, late: after}) }

func (s *Simulator) fail(f faults) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = f
}

// takeFault is what one request meets.
func (s *Simulator) takeFault() faults {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.faults.skip > 0 {
		s.faults.skip--
		return faults{}
	}
	f := s.faults
	if f.mode != Works && f.times > 0 {
		if s.faults.times--; s.faults.times == 0 {
			s.faults = faults{}
		}
	}
	return f
}

// now fails a request before anything is done, and tells whether it did.
func (f faults) now(w http.ResponseWriter, _ *http.Request) bool {
	switch f.mode {
	case Down:
		hangUp(w)
	case Error500:
		writeFailure(w, http.StatusInternalServerError, "api_error", "An unknown error occurred (simulated).")
	case TooMany:
		writeFailure(w, http.StatusTooManyRequests, "invalid_request_error", "Too many requests (simulated).")
	default:
		return false
	}
	return true
}

// after fails a request whose work is done.
func (f faults) after(w http.ResponseWriter, r *http.Request) bool {
	switch f.mode {
	case LostReply:
		hangUp(w)
		return true
	case Slow:
		select {
		case <-time.After(f.late):
		case <-r.Context().Done():
			return true
		}
	}
	return false
}

func writeFailure(w http.ResponseWriter, status int, kind, message string) {
	a := (&apiError{status: status, kind: kind, message: message}).answer()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(a.body)
}

// hangUp closes the connection.
func hangUp(w http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close()
	}
}
