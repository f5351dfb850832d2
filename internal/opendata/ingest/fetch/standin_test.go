package fetch_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/internal/clock"
	"arpent/internal/opendata/ingest/fetch"
)

// standIn answers for all hosts: it is the mirror of the clients that
// it makes, and knows the official addresses.
type standIn struct {
	t       *testing.T
	url     string
	clock   *clock.Fixed
	mu      sync.Mutex
	answers map[string]http.Handler // by MirrorPath
	log     []string                // method, path and the headers that matter of each request
	sent    int64                   // bytes of bodies
	slept   time.Duration
}

func newStandIn(t *testing.T) *standIn {
	t.Helper()
	s := &standIn{t: t, answers: map[string]http.Handler{}, clock: clock.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// client asks the stand-in, and does not really wait.
func (s *standIn) client(change ...func(*fetch.Options)) *fetch.Client {
	s.t.Helper()
	o := fetch.Options{Contact: "ops@example.org", Mirror: s.url, Clock: s.clock, Sleep: s.sleep}
	for _, c := range change {
		c(&o)
	}
	return testkit.Must(fetch.NewClient(o))(s.t)
}

func (s *standIn) sleep(ctx context.Context, d time.Duration) error {
	s.clock.Advance(d)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slept += d
	return ctx.Err()
}

// on sets the answer to an official address; none is 404.
func (s *standIn) on(address string, h http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[fetch.MirrorPath(address)] = h
}

// file serves a content with an entity tag, ranges and conditions.
func (s *standIn) file(address, tag, content string) {
	s.on(address, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", tag)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(content))
	})
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/")
	line := path
	for _, name := range []string{"Range", "If-Range", "If-None-Match", "If-Modified-Since"} {
		if v := r.Header.Get(name); v != "" {
			line += fmt.Sprintf(" %s:%s", name, v)
		}
	}
	s.mu.Lock()
	s.log = append(s.log, line)
	h := s.answers[path]
	s.mu.Unlock()
	if h == nil {
		http.NotFound(w, r)
		return
	}
	h.ServeHTTP(&metered{w, s}, r)
}

// metered counts the bytes of a body.
type metered struct {
	http.ResponseWriter
	s *standIn
}

func (m *metered) Write(p []byte) (int, error) {
	n, err := m.ResponseWriter.Write(p)
	m.s.mu.Lock()
	defer m.s.mu.Unlock()
	m.s.sent += int64(n)
	return n, err
}

func (m *metered) Flush() { m.ResponseWriter.(http.Flusher).Flush() }

// taken returns the requests since the last call, one a line, and the bytes that were sent.
func (s *standIn) taken() (requests string, sent int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests, sent = strings.Join(s.log, "\n"), s.sent
	s.log, s.sent = nil, 0
	return requests, sent
}

// run fetches items into dir and wants no error of the run itself.
func (s *standIn) run(dir string, c *fetch.Client, items ...fetch.Item) []fetch.Result {
	s.t.Helper()
	report := testkit.Must(fetch.Run(s.t.Context(), c, dir, items, nil))(s.t)
	return report.Results
}

// fetched is run for one item that has to be fetched.
func (s *standIn) fetched(dir string, item fetch.Item) fetch.Result {
	s.t.Helper()
	r := s.run(dir, s.client(), item)[0]
	if r.State != fetch.Fetched {
		s.t.Fatalf("%s: %s, %v", item.Path, r.State, r.Err)
	}
	return r
}

// newItem is a file of one source, saved by the host and the last part of its address.
func newItem(address string) fetch.Item {
	r := fetch.Remote{Address: address}
	return fetch.Item{Sources: []string{"dvf"}, Remote: r, Path: fetch.Origin{}.Path(r, fetch.Place{}), Licence: "Licence Ouverte 2.0"}
}

func wantFile(t *testing.T, dir, path, content string) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(dir, path))
	if err != nil || string(got) != content {
		t.Errorf("%s has %d bytes of the expected %d (%v)", path, len(got), len(content), err)
	}
}

// wantEmptyFolder fails the test when a folder has a file that the loader would see.
func wantEmptyFolder(t *testing.T, dir string) {
	t.Helper()
	for _, path := range listSavedFiles(t, dir) {
		t.Errorf("%s is there", path)
	}
}

// listSavedFiles are the files of a downloads folder that the loader sees.
func listSavedFiles(t *testing.T, dir string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasPrefix(d.Name(), ".") && d.Name() != "manifest.jsonl" {
			rel, _ := filepath.Rel(dir, path)
			paths = append(paths, rel)
		}
		return err
	})
	testkit.NoError(t, err)
	return paths
}

func entryOf(t *testing.T, dir, path string) fetch.Entry {
	t.Helper()
	entries := testkit.Must(fetch.ReadManifest(dir))(t)
	for _, e := range entries {
		if e.Path == path {
			return e
		}
	}
	t.Fatalf("%s is not in the manifest: %v", path, entries)
	return fetch.Entry{}
}
