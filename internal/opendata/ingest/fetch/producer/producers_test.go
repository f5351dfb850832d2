package producer_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"arpent/internal/clock"
	"arpent/internal/opendata/ingest/fetch"
)

// producers stands in for all hosts: addresses, with their parameters in the order of the alphabet and
// unescaped, to what is answered. That is a body, a status such as "403", or a body below a line with the
// header Link. What is not among them is not found.
type producers map[string]string

// client asks the producers on the 23rd of May 2026. It returns the addresses that were asked so far, too.
func (p producers) client(t *testing.T) (*fetch.Client, func() string) {
	t.Helper()
	var mu sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		address := "https:/" + r.URL.Path
		if query, err := url.QueryUnescape(r.URL.RawQuery); err == nil && query != "" {
			address += "?" + query
		}
		mu.Lock()
		asked = append(asked, address)
		mu.Unlock()
		body, found := p[address]
		status, err := strconv.Atoi(body)
		switch {
		case !found:
			http.NotFound(w, r)
			return
		case err == nil:
			w.WriteHeader(status)
			return
		}
		if link, rest, found := strings.Cut(body, "\n"); found && strings.HasPrefix(link, "Link: ") {
			w.Header().Set("Link", strings.TrimPrefix(link, "Link: "))
			body = rest
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(body))
	}))
	t.Cleanup(server.Close)
	c, err := fetch.NewClient(fetch.Options{Clock: clock.At(time.Date(2026, 5, 23, 12, 0, 0, 0, time.UTC))})
	if err != nil {
		t.Fatal(err)
	}
	c.HTTP = &http.Client{Transport: toServer(server.URL)}
	return c, func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(asked, "\n")
	}
}

// ownTransport is not the default transport: that one loses its connections
// whenever the server of another test is closed.
var ownTransport = &http.Transport{}

// toServer sends all requests to one server, with the host as the first part of the path.
type toServer string

func (s toServer) RoundTrip(r *http.Request) (*http.Response, error) {
	to, err := url.Parse(string(s) + "/" + r.URL.Host + r.URL.EscapedPath() + "?" + r.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	sent := r.Clone(r.Context())
	sent.URL, sent.Host = to, ""
	resp, err := ownTransport.RoundTrip(sent)
	if err == nil {
		resp.Request = r
	}
	return resp, err
}

// resolveCase is a case of a resolver.
type resolveCase struct {
	name    string
	from    fetch.Resolver
	place   fetch.Place
	answers producers
	want    string // the files, one a line
	written string // content of the first, where it is joined
	asked   string // all addresses, one a line; empty: not compared; "nothing"
	err     string // part of the error, of Resolve or Write
	nothing bool   // the error is fetch.ErrNothing
	again   bool   // another attempt may succeed
}

// run resolves, writes the files that have no address of their own, and compares.
func (r resolveCase) run(t *testing.T) {
	t.Parallel()
	c, asked := r.answers.client(t)
	files, err := r.from.Resolve(t.Context(), c, r.place)
	var lines []string
	written := ""
	for i, f := range files {
		lines = append(lines, formatRemote(f))
		if f.Write == nil || err != nil {
			continue
		}
		var out strings.Builder
		if err = f.Write(t.Context(), c, &out); i == 0 {
			written = out.String()
		}
	}
	r.compareError(t, err)
	if r.err == "" {
		if got := strings.Join(lines, "\n"); got != r.want {
			t.Errorf("files\n%s\nwant\n%s", got, r.want)
		}
		if written != r.written {
			t.Errorf("written\n%q\nwant\n%q", written, r.written)
		}
	}
	if got := asked(); r.asked != "" && got != strings.TrimPrefix(r.asked, "nothing") {
		t.Errorf("asked\n%s\nwant\n%s", got, r.asked)
	}
}

func (r resolveCase) compareError(t *testing.T, err error) {
	t.Helper()
	switch {
	case err == nil && r.err == "":
		return
	case err == nil || r.err == "" || !strings.Contains(err.Error(), r.err):
		t.Fatalf("error %v; expected %q", err, r.err)
	}
	if got := errors.Is(err, fetch.ErrNothing); got != r.nothing {
		t.Errorf("ErrNothing: %v; %v", got, err)
	}
	if got := fetch.IsTemporary(err); got != r.again {
		t.Errorf("worth another attempt: %v; %v", got, err)
	}
}

// formatRemote is a file as text: address, name, edition, bytes, checksum, fields.
func formatRemote(f fetch.Remote) string {
	out := f.Address
	if at, query, found := strings.Cut(f.Address, "?"); found {
		if query, err := url.QueryUnescape(query); err == nil {
			out = at + "?" + query
		}
	}
	for _, part := range []struct {
		name  string
		value any
		has   bool
	}{{"as", f.Served, f.Served != ""}, {"of", f.Edition, f.Edition != ""}, {"bytes", f.Bytes, f.Bytes != 0}, {f.Sum.Kind, f.Sum.Hex, f.Sum.Kind != ""}} {
		if part.has {
			out += fmt.Sprintf(" %s %v", part.name, part.value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Fields)) {
		out += " " + name + "=" + f.Fields[name]
	}
	return out
}

func runAll(t *testing.T, cases []resolveCase) {
	t.Helper()
	for _, r := range cases {
		t.Run(r.name, r.run)
	}
}
