package fetch_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest/fetch"
)

const catalogue = "https://www.data.gouv.fr/api/1/datasets/5cc1b94a634f4165e96436c1/"

// A producer sees who asks, and can write to them; nothing of one request is known to the next.
func TestRequestsNameTheProgram(t *testing.T) {
	t.Parallel()
	s := newStandIn(t)
	var seen []string
	s.on(catalogue, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Get("User-Agent")+r.Header.Get("Cookie"))
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "1"})
		fmt.Fprint(w, `{"title":"DVF"}`)
	})
	c := s.client()
	for range 2 {
		var answer struct{ Title string }
		if err := c.JSON(t.Context(), catalogue, &answer); err != nil || answer.Title != "DVF" {
			t.Errorf("%+v, %v", answer, err)
		}
	}
	if want := "arpent (+ops@example.org)"; len(seen) != 2 || seen[0] != want || seen[1] != want {
		t.Errorf("%q", seen)
	}
}

// A server that is busy is asked again when it wants to be, however it says when, and not before.
func TestBusyServer(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]string{"seconds": "7", "date": "Fri, 02 Jan 2026 03:04:12 GMT"} {
		for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
			t.Run(fmt.Sprint(name, status), func(t *testing.T) {
				t.Parallel()
				s := newStandIn(t)
				asked := 0
				var again time.Time
				s.on(catalogue, func(w http.ResponseWriter, r *http.Request) {
					if asked++; asked == 1 {
						w.Header().Set("Retry-After", after)
						w.WriteHeader(status)
						return
					}
					again = s.clock.Now()
				})
				start := s.clock.Now()
				testkit.Must(s.client().Bytes(t.Context(), catalogue))(t)
				if waited := again.Sub(start); asked != 2 || waited < 7*time.Second || waited > 9*time.Second {
					t.Errorf("asked %d times, the second after %s", asked, waited)
				}
			})
		}
	}
}

// A pause that is longer than anybody waits is an error that says until when, for
// all that is still to be asked of the host.
func TestServerThatIsBusyForADay(t *testing.T) {
	t.Parallel()
	s := newStandIn(t)
	s.on(catalogue, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "86400")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	c := s.client()
	for range 2 {
		_, err := c.Bytes(t.Context(), catalogue)
		loadkit.Contains(t, err, "asks for no requests before 2026-01-03T03:04:05Z")
	}
	if requests, _ := s.taken(); strings.Contains(requests, "\n") {
		t.Errorf("asked again: %s", requests)
	}
}

// A broken server is asked five times with growing pauses; what is not there is asked for once.
func TestStatuses(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]int{500: 5, 502: 5, 503: 5, 429: 5, 404: 1, 403: 1, 410: 1, 400: 1} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			s := newStandIn(t)
			s.on(catalogue, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(status) })
			_, err := s.client().Bytes(t.Context(), catalogue)
			var got *fetch.StatusError
			if !errors.As(err, &got) || got.Status != status || got.Address != catalogue {
				t.Errorf("%v", err)
			}
			requests, _ := s.taken()
			testkit.Want(t, strings.Count(requests+"\n", "\n"), want, "requests")
			if want == 5 && (s.slept < 7500*time.Millisecond || s.slept > 22500*time.Millisecond) {
				t.Errorf("the pauses are %s together", s.slept)
			}
		})
	}
}

// A catalogue whose answer is cut off is asked again.
func TestAnswerThatIsCutOff(t *testing.T) {
	t.Parallel()
	s := newStandIn(t)
	asked := 0
	s.on(catalogue, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "2")
		if asked++; asked == 1 {
			w = testkit.CutAfter(w, 1)
		}
		fmt.Fprint(w, "{}")
	})
	if b, err := s.client().Bytes(t.Context(), catalogue); err != nil || string(b) != "{}" {
		t.Errorf("%q, %v", b, err)
	}
}

// A certificate that is not valid is no matter of waiting: the error says whose it is.
func TestCertificate(t *testing.T) {
	t.Parallel()
	s := newStandIn(t)
	for versions, want := range map[[2]uint16]string{
		{tls.VersionTLS12, tls.VersionTLS13}: "the certificate of %s is not valid",
		{tls.VersionTLS10, tls.VersionTLS11}: "no secure connection to %s",
	} {
		server := httptest.NewUnstartedServer(s)
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.TLS = &tls.Config{MinVersion: versions[0], MaxVersion: versions[1]}
		server.StartTLS()
		defer server.Close()
		_, err := s.client(func(o *fetch.Options) { o.Mirror = server.URL }).Bytes(t.Context(), catalogue)
		loadkit.Contains(t, err, fmt.Sprintf(want, strings.TrimPrefix(server.URL, "https://")), catalogue)
	}
	testkit.Want(t, s.slept, 0, "waited")
}

// Redirects are followed, and an error names both ends. A circle ends.
func TestRedirects(t *testing.T) {
	t.Parallel()
	s := newStandIn(t)
	const link, dated = "https://www.data.gouv.fr/api/1/datasets/r/0651fb76", "https://static.data.gouv.fr/resources/sirene/20260501-080000/stock.csv"
	s.on(link, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, dated, http.StatusFound) })
	_, err := s.client().Bytes(t.Context(), link)
	loadkit.Contains(t, err, link, "redirected to "+dated, "404")

	s.on(dated, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "siren\n") })
	if p, err := s.client().Probe(t.Context(), link, 100); err != nil || !p.Found || p.Final != dated || string(p.First) != "siren\n" {
		t.Errorf("%+v, %v", p, err)
	}
	s.on(dated, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, link, http.StatusMovedPermanently) })
	s.taken()
	_, err = s.client().Bytes(t.Context(), link)
	loadkit.Contains(t, err, "redirected more than 10 times")
	if requests, _ := s.taken(); strings.Count(requests, "\n") != 10 {
		t.Errorf("requests\n%s", requests)
	}
}

// A file is looked for by its first bytes: whether it is there, how
// long it is, and what makes it this edition.
func TestProbe(t *testing.T) {
	t.Parallel()
	const address = "https://files.data.gouv.fr/geo-dvf/latest/csv/2025/full.csv.gz"
	s := newStandIn(t)
	s.file(address, `"v1"`, loadkit.Zipped("id_mutation\n"))
	length := int64(len(loadkit.Zipped("id_mutation\n")))
	p, err := s.client().Probe(t.Context(), address, 2)
	if err != nil || !p.Found || p.Bytes != length || p.ETag != `"v1"` || string(p.First) != "\x1f\x8b" {
		t.Errorf("%+v, %v", p, err)
	}
	if requests, sent := s.taken(); sent != 2 || !strings.HasSuffix(requests, " Range:bytes=0-1") {
		t.Errorf("%d bytes for %s", sent, requests)
	}
	for status, found := range map[int]bool{200: true, 404: false, 410: false, 416: true} {
		s.on(address, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			fmt.Fprint(w, "no ranges here")
		})
		want := map[bool]int64{true: 14}[status == 200]
		if bytes, got, err := s.client().Exists(t.Context(), address); got != found || bytes != want || err != nil {
			t.Errorf("%d: %d, %t, %v", status, bytes, got, err)
		}
	}
	s.on(address, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusForbidden) })
	if _, _, err := s.client().Exists(t.Context(), address); err == nil {
		t.Error("no error for 403")
	}
}

// A server that goes silent, before its answer or within, does not hold up a run for ever.
func TestServerThatGoesSilent(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"before": "timeout awaiting response headers", "within": "sent nothing for 200ms"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStandIn(t)
			held := make(chan struct{})
			defer close(held)
			s.on(catalogue, func(w http.ResponseWriter, r *http.Request) {
				if name == "within" {
					fmt.Fprint(w, "{")
					w.(http.Flusher).Flush()
				}
				<-held
			})
			_, err := s.client(func(o *fetch.Options) { o.Stall = 200 * time.Millisecond }).Bytes(t.Context(), catalogue)
			loadkit.Contains(t, err, catalogue, want)
			if requests, _ := s.taken(); strings.Count(requests, "\n") != 4 {
				t.Errorf("requests\n%s", requests)
			}
		})
	}
}

// A mirror has an address.
func TestMirrorWithoutAnAddress(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"mirror.example.org", "ftp://mirror.example.org", "https://", "http://[::1"} {
		if _, err := fetch.NewClient(fetch.Options{Mirror: address}); err == nil {
			t.Errorf("no error for %q", address)
		}
	}
}

// A catalogue that was tampered with, or a producer's redirect, does not have
// the server ask what only its own network may.
func TestPrivateAddressesAreNotAsked(t *testing.T) {
	asked := false
	private := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	t.Cleanup(private.Close)
	client, err := fetch.NewClient(fetch.Options{Sleep: func(context.Context, time.Duration) error { return nil }})
	testkit.NoError(t, err)
	if _, err := client.Bytes(t.Context(), private.URL); asked || err == nil || !strings.Contains(err.Error(), "not one of the public Internet") {
		t.Errorf("asked: %v, %v", asked, err)
	}
}

// A redirect from https to http is not followed: any machine on the
// way could answer it with a file of its own.
func TestRedirectThatLeavesTLS(t *testing.T) {
	t.Parallel()
	var asked []string
	next := roundTripper(func(r *http.Request) (*http.Response, error) {
		asked = append(asked, r.URL.String())
		to := http.Header{"Location": {"http://files.example/x.zip"}}
		return &http.Response{StatusCode: http.StatusFound, Header: to, Body: http.NoBody, Request: r}, nil
	})
	c, err := fetch.NewClient(fetch.Options{Next: next, Sleep: func(context.Context, time.Duration) error { return nil }})
	testkit.NoError(t, err)
	_, err = c.Bytes(t.Context(), "https://files.example/x.zip")
	loadkit.Contains(t, err, "redirected from https to http://files.example")
	if len(asked) != 1 {
		t.Errorf("asked for %q", asked)
	}
}
