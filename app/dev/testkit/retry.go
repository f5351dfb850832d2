package testkit

import (
	"net/http"
	"time"
)

// retryEvery is how long RetryBusy waits before it sends a request again: less than Retry-After says, since
// the machine is its own.
const retryEvery = 200 * time.Millisecond

// RetryBusy sends a request again while the server says 503 with a Retry-After, as clients do: a database is
// slow on a busy machine, and that is no wrong answer. It returns the last answer, after Timeout the one that
// is there. status returns what it reads of one.
func RetryBusy[A any](send func() A, status func(A) (int, http.Header)) A {
	for end := time.Now().Add(Timeout); ; time.Sleep(retryEvery) {
		answer := send()
		code, header := status(answer)
		if code != http.StatusServiceUnavailable || header.Get("Retry-After") == "" || time.Now().After(end) {
			return answer
		}
	}
}

// GetRetrying is Get, again while the server is busy.
func (b *Browser) GetRetrying(path string, headers ...string) *Page {
	b.t.Helper()
	return RetryBusy(func() *Page { return b.Get(path, headers...) }, pageStatus)
}

// SubmitRetrying is Submit, again while the server is busy.
func (b *Browser) SubmitRetrying(p *Page, action string, values ...string) *Page {
	b.t.Helper()
	return RetryBusy(func() *Page { return b.Submit(p, action, values...) }, pageStatus)
}

func pageStatus(p *Page) (int, http.Header) { return p.Status, p.Header }
