package testkit

import (
	"net/http"
	"time"
)

// retryEvery is how long RetryBusy waits before it sends a request again: less than Retry-After says, since
// the machine is its own.
const retryEvery = 200 * time.Millisecond

// RetryBusy sends a request, and again, if it is to, while the server says 503 with a Retry-After, as clients
// do: a database is slow on a busy machine, and that is no wrong answer. It returns the last answer, after
// Timeout the one that is there. status returns what it reads of one.
func RetryBusy[A any](again bool, send func() A, status func(A) (int, http.Header)) A {
	for end := time.Now().Add(Timeout); ; time.Sleep(retryEvery) {
		answer := send()
		code, header := status(answer)
		if !again || code != http.StatusServiceUnavailable || header.Get("Retry-After") == "" ||
			time.Now().After(end) {
			return answer
		}
	}
}
