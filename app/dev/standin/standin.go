// Package standin answers in place of the producers of open data, with the files of a data folder under the addresses that the
// sources declare: a server of it is what ARPENT_MIRROR names where the producers cannot be reached. It is for development and
// tests. A catalogue lists what the folder has a file of and nothing else; all other addresses answer 404.
package standin

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"arpent/api/ingest/fetch"
	"arpent/api/source"
)

// StandIn answers for all producers.
type StandIn struct {
	answers map[string]answer // by the path in a mirror, see fetch.MirrorPath
	lacking []Lack

	mu     sync.Mutex
	counts map[string]Count
}

// Lack is an origin that a file of the data folder might come from, and that is not served.
type Lack struct {
	Source, Origin, Place, Why string
}

// Count is what was asked of one host.
type Count struct {
	Host      string
	Requests  int
	Missing   int   // of them, those that were answered with 404
	Bytes     int64 // sent, of files and catalogues
	FileBytes int64 // of them, those of files: pages of rows too
}

// answer is what an address is answered with: a file, or a body.
type answer struct {
	file *content
	body []byte
	rows bool   // the body is a page of rows, not of a catalogue
	link string // header Link
}

// New prepares the answers for the origins that the files below a folder can come from. now decides which years and quarters are
// the newest: a client whose clock is in another one asks for other addresses.
func New(sources []source.Source, dir string, now time.Time) (*StandIn, error) {
	s := &StandIn{answers: map[string]answer{}, counts: map[string]Count{}}
	s.answers[fetch.MirrorPath("https://www.data.gouv.fr/api/1/site/")] = answer{body: []byte("{}")} // whether it is reached at all
	names, err := filesBelow(dir)
	if err != nil {
		return nil, fmt.Errorf("look for files in %s: %w", dir, err)
	}
	b := &builder{standIn: s, now: now, catalogues: map[string]*catalogue{}, files: map[string]*content{}}
	for _, src := range sources {
		b.add(src, match(src, dir, names))
	}
	if err := b.build(); err != nil {
		return nil, err
	}
	return s, nil
}

// Lacking lists the origins of files of the folder that are not served, and why.
func (s *StandIn) Lacking() []Lack { return s.lacking }

// ServeHTTP implements http.Handler.
func (s *StandIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/")
	host, _, _ := strings.Cut(path, "/")
	a, found := s.answers[path]
	sent := &counted{ResponseWriter: w}
	defer func() { s.count(host, a, found, sent.bytes) }()
	if !found {
		http.NotFound(sent, r)
		return
	}
	if a.link != "" {
		w.Header().Set("Link", a.link)
	}
	if a.file == nil {
		w.Write(a.body) //nolint:errcheck // the client is gone
		sent.bytes = int64(len(a.body))
		return
	}
	a.file.serve(sent, r)
}

func (s *StandIn) count(host string, a answer, found bool, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.counts[host]
	c.Host = host
	c.Requests++
	c.Bytes += bytes
	if !found {
		c.Missing++
	}
	if a.file != nil || a.rows {
		c.FileBytes += bytes
	}
	s.counts[host] = c
}

// Counts is what was asked so far, by host.
func (s *StandIn) Counts() []Count {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.SortedFunc(maps.Values(s.counts), func(a, b Count) int { return strings.Compare(a.Host, b.Host) })
}

// counted counts the bytes of a body.
type counted struct {
	http.ResponseWriter
	bytes int64
}

// Write implements http.ResponseWriter.
func (c *counted) Write(b []byte) (int, error) {
	n, err := c.ResponseWriter.Write(b)
	c.bytes += int64(n)
	return n, err
}
