package assistant_test

import (
	"bytes"
	"compress/gzip"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth/assistant"
)

// site is a server of documents on this machine, which counts the connections that reach it.
type site struct {
	*httptest.Server
	port  string
	roots *x509.CertPool
	met   atomic.Int32
}

func newSite(t *testing.T, h http.HandlerFunc) *site {
	t.Helper()
	s := &site{roots: x509.NewCertPool()}
	s.Server = httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.met.Add(1)
		}
	}
	s.StartTLS()
	t.Cleanup(s.Close)
	s.roots.AddCert(s.Certificate())
	u := testkit.Must(url.Parse(s.URL))(t)
	s.port = u.Port()
	return s
}

// reader reads documents as in service, but for the port and the
// certificate, through names that lead to addresses.
func (s *site) reader(t *testing.T, allow func(netip.Addr) bool, addresses ...string) assistant.FetchDocument {
	return assistant.NewFetcher().Near(s.port, s.roots, testkit.Resolver(t, addresses...), allow)
}

func allowAny(netip.Addr) bool { return true }

// Nothing on this machine or in the network around it is reached, whatever name or
// spelling leads there: not one connection arrives.
func TestPrivateAddressesAreNotReached(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") })
	for _, host := range []string{"127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001", "0", "0.0.0.0", "localhost",
		"localhost.", "LOCALHOST", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]",
		"[64:ff9b::127.0.0.1]", "[2002:7f00:1::]", "[fe80::1]", "169.254.169.254", "[fd00:ec2::254]", "10.0.0.1", "192.168.0.1", "172.16.0.1", "100.64.0.1",
		"224.0.0.1", "255.255.255.255", "127。0。0。1", "①②⑦.⓪.⓪.①"} {
		fetch := assistant.NewFetcher().Near(s.port, s.roots, nil, nil)
		if body, _, err := fetch(t.Context(), "https://"+host+":"+s.port+"/x"); err == nil {
			t.Errorf("%s gave %q", host, body)
		}
		if assistant.CheckDocument("https://"+host+"/x") == "" {
			t.Errorf("%s may be the host of a document", host)
		}
	}
	for _, address := range []string{"127.0.0.1", "::1", "::ffff:127.0.0.1", "10.1.2.3", "169.254.169.254", "fd00::1", "64:ff9b::7f00:1"} {
		fetch := s.reader(t, nil, address)
		if body, _, err := fetch(t.Context(), "https://example.com:"+s.port+"/x"); err == nil {
			t.Errorf("a name of %s gave %q", address, body)
		}
	}
	testkit.Want(t, s.met.Load(), 0, "connections arrived")
	// The rule, and nothing else, kept them away.
	if _, _, err := s.reader(t, allowAny, "127.0.0.1")(t.Context(), "https://example.com:"+s.port+"/x"); err == nil || s.met.Load() == 0 {
		t.Errorf("allowed, and not reached: %v, %d", err, s.met.Load())
	}
}

// Another port than that of https is not reached either, so that a client cannot make the server scan ports.
func TestOtherPorts(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") })
	fetch := assistant.NewFetcher().Near("443", s.roots, testkit.Resolver(t, "127.0.0.1"), allowAny)
	if _, _, err := fetch(t.Context(), "https://example.com:"+s.port+"/x"); err == nil || s.met.Load() != 0 {
		t.Errorf("%v, %d connections", err, s.met.Load())
	}
}

// A document that is anything but a small JSON answer is refused, in
// five seconds and a few kilobytes at most.
func TestAnswersThatAreRefused(t *testing.T) {
	t.Parallel()
	var followed atomic.Bool
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write(bytes.Repeat([]byte(" "), 5<<20))
	_ = zip.Close()
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/fine":
			if r.Header.Get("Accept-Encoding") != "" || r.Header.Get("Cookie") != "" {
				w.WriteHeader(http.StatusTeapot)
			}
			fmt.Fprint(w, `{"fine":true}`)
		case "/redirect":
			http.Redirect(w, r, "/target", http.StatusFound)
		case "/target":
			followed.Store(true)
		case "/html":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "{}")
		case "/missing":
			http.NotFound(w, r)
		case "/packed":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(packed.Bytes())
		case "/long":
			_, _ = w.Write(bytes.Repeat([]byte(" "), 10<<10+1))
		case "/headers":
			w.Header().Set("X-Long", strings.Repeat("x", 64<<10))
		case "/drip":
			for { // without end: what ends it is the deadline
				if _, err := w.Write([]byte(" ")); err != nil {
					return
				}
				w.(http.Flusher).Flush()
				select {
				case <-r.Context().Done():
					return
				case <-time.After(100 * time.Millisecond):
				}
			}
		}
	})
	fetch := s.reader(t, allowAny, "127.0.0.1")
	if body, keep, err := fetch(t.Context(), "https://example.com:"+s.port+"/fine"); err != nil || string(body) != `{"fine":true}` || keep != 5*time.Minute {
		t.Fatalf("%s %v %v", body, keep, err)
	}
	for _, path := range []string{"/redirect", "/html", "/missing", "/packed", "/long", "/headers", "/drip"} {
		begun := time.Now()
		if body, _, err := fetch(t.Context(), "https://example.com:"+s.port+path); err == nil {
			t.Errorf("%s gave %d bytes", path, len(body))
		}
		if d := time.Since(begun); path == "/drip" && d < 4*time.Second {
			t.Errorf("%s was given up after %v", path, d)
		}
	}
	if followed.Load() {
		t.Error("the redirection was followed")
	}
	if _, _, err := assistant.NewFetcher().Near(s.port, x509.NewCertPool(), testkit.Resolver(t, "127.0.0.1"), allowAny)(t.Context(), "https://example.com:"+s.port+"/fine"); err == nil {
		t.Error("a certificate of an unknown authority was taken")
	}
}

// Documents of a hundred megabytes, many at a time, take no memory here. Not parallel: it measures.
func TestMemoryStaysFlatUnderConcurrentRequests(t *testing.T) {
	var sent atomic.Int64
	s := newSite(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		block := bytes.Repeat([]byte(" "), 64<<10)
		for range 100 << 20 / len(block) {
			n, err := w.Write(block)
			if sent.Add(int64(n)); err != nil {
				return
			}
		}
	})
	fetch := s.reader(t, allowAny, "127.0.0.1")
	read := func() {
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				if _, _, err := fetch(t.Context(), "https://example.com:"+s.port+"/x"); err == nil {
					t.Error("taken")
				}
			})
		}
		all.Wait()
	}
	read() // what is made once is made now
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 5 {
		read()
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	t.Logf("heap %d kB before, %d kB after; allocated %d kB for 80 documents of 100 MB, of which %d kB were sent",
		before.HeapAlloc>>10, after.HeapAlloc>>10, (after.TotalAlloc-before.TotalAlloc)>>10, sent.Load()>>10)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 2<<20 {
		t.Errorf("the heap grew by %d kB", grown>>10)
	}
	if after.TotalAlloc-before.TotalAlloc > 80<<20 { // the server of this test is in it
		t.Errorf("allocated %d MB", (after.TotalAlloc-before.TotalAlloc)>>20)
	}
}

// What a server says of how long its answer may be kept is understood.
func TestKeptFor(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]time.Duration{
		"": 5 * time.Minute, "public": 5 * time.Minute, "max-age=60": time.Minute, "public, MAX-AGE=3600": time.Hour, `max-age="60"`: time.Minute,
		"no-store": 0, "max-age=60, no-cache": 0, "max-age=x": 0, "max-age=-1": 0, "max-age=99999999999999": 0, "s-maxage=5": 5 * time.Minute,
	} {
		h := http.Header{}
		if value != "" {
			h.Set("Cache-Control", value)
		}
		testkit.Want(t, assistant.KeptFor(h), want, value)
	}
}
