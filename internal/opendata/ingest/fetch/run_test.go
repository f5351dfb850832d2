package fetch_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest/fetch"
)

// recorder counts what a run reports.
type recorder struct {
	mu       sync.Mutex
	files    int
	expected int64
	totals   map[string]int64
	received map[string]int64
	done     []string
}

func (p *recorder) Begin(files int, bytes int64) { p.files, p.expected = files, bytes }

func (p *recorder) Start(path string, have, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.totals[path], p.received[path] = total, have
}

func (p *recorder) Add(path string, bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.received[path] += bytes
}

func (p *recorder) Done(r fetch.Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = append(p.done, r.Item.Path)
}

// A file that fails keeps no other from being fetched; the report says what each cost.
func TestRun(t *testing.T) {
	t.Parallel()
	s, dir := newStandIn(t), t.TempDir()
	content := csvTable(1000)
	var items []fetch.Item
	for n := range 6 {
		i := newItem(fmt.Sprintf("https://data%d.example.fr/a.csv", n%3))
		i.Path = fmt.Sprintf("%d.csv", n)
		i.Remote.Bytes = int64(len(content))
		s.file(i.Remote.Address, `"v1"`, content)
		items = append(items, i)
	}
	items[1].Remote.Address = "https://data1.example.fr/gone.csv"
	items[2].Remote.Bytes, items[2].Origin.Bytes = 0, 1000
	outside := newItem("https://data0.example.fr/a.csv")
	outside.Path = "../a.csv"
	items = append(items, outside)

	s.cutAfter(items[5].Remote.Address, content, http.Header{"Etag": {`"v1"`}}, 3000)
	p := &recorder{totals: map[string]int64{}, received: map[string]int64{}}
	report := testkit.Must(fetch.Run(t.Context(), s.client(), dir, items, p))(t)
	var got []string
	for _, r := range report.Results {
		got = append(got, fmt.Sprintf("%s %s %d %d", r.Item.Path, r.State, r.Bytes, r.Requests))
		total := p.totals[r.Item.Path]
		if r.State == fetch.Fetched && (total != int64(len(content)) || p.received[r.Item.Path] != total) {
			t.Errorf("%s: %d of %d bytes notified", r.Item.Path, p.received[r.Item.Path], total)
		}
	}
	whole := fmt.Sprint("fetched ", len(content))
	want := fmt.Sprintf("0.csv %[1]s 1\n1.csv failed 0 1\n2.csv %[1]s 1\n3.csv %[1]s 1\n4.csv %[1]s 1\n5.csv %[1]s 2\n../a.csv failed 0 0", whole)
	// The addresses of 2 and 5 are one: which of them is cut off is chance.
	if s := strings.Join(got, "\n"); s != want && s != strings.NewReplacer("2.csv "+whole+" 1", "2.csv "+whole+" 2", "5.csv "+whole+" 2", "5.csv "+whole+" 1").Replace(want) {
		t.Errorf("report\n%s\nwant\n%s", s, want)
	}
	loadkit.Contains(t, report.Err(), "1.csv", "404", "../a.csv", "not a path below")
	if len(p.done) != 7 || p.files != 7 || p.expected != int64(5*len(content)+1000) {
		t.Errorf("%d of %d files done, %d bytes expected", len(p.done), p.files, p.expected)
	}
}

// A département that a producer has no file for is no fault of its; a file of all of France that has
// gone is, and so is one that was there before.
func TestNoFileForAPlace(t *testing.T) {
	t.Parallel()
	s, dir := newStandIn(t), t.TempDir()
	place := fetch.Place{Departement: "93"}
	none, moved, went := newItem("https://data0.example.fr/93.csv"), newItem("https://data0.example.fr/france.csv"), newItem("https://data0.example.fr/94.csv")
	none.Path, moved.Path, went.Path = "93.csv", "france.csv", "94.csv"
	none.Place, went.Place = place, place
	s.file(went.Remote.Address, `"v1"`, csvTable(10))
	if r := s.run(dir, s.client(), went); r[0].Err != nil {
		t.Fatal(r[0].Err)
	}
	s.on(went.Remote.Address, http.NotFound)
	for i, r := range s.run(dir, s.client(), none, moved, went) {
		if got := errors.Is(r.Err, fetch.ErrNothing); r.State != fetch.Failed || got != (i == 0) {
			t.Errorf("%s: %s, no file for the place: %v: %v", r.Item.Path, r.State, got, r.Err)
		}
	}
}

// Two files of a host are fetched at a time, and four in all, even where all files of one host come first.
func TestFilesAtATime(t *testing.T) {
	t.Parallel()
	s, dir := newStandIn(t), t.TempDir()
	var mu sync.Mutex
	underWay, highest, all, highestOfAll := map[string]int{}, map[string]int{}, 0, 0
	full, once := make(chan struct{}), sync.Once{}
	next := roundTripper(func(r *http.Request) (*http.Response, error) {
		host := r.URL.Host
		mu.Lock()
		underWay[host]++
		all++
		highest[host], highestOfAll = max(highest[host], underWay[host]), max(highestOfAll, all)
		if all == 4 {
			once.Do(func() { close(full) })
		}
		mu.Unlock()
		select {
		case <-full:
		case <-time.After(time.Minute):
			t.Error("fewer than four files are fetched at a time")
		}
		mu.Lock()
		defer mu.Unlock()
		underWay[host]--
		all--
		resp := okResponse(csvTable(1))
		resp.ContentLength = int64(len(csvTable(1)))
		return resp, nil
	})
	client := s.client(func(o *fetch.Options) { o.Mirror, o.Next = "", next }) // the mirror's one host would be all
	var items []fetch.Item
	for n := range 4 {
		items = append(items, newItem(fmt.Sprintf("https://a.example.fr/%d.csv", n)))
	}
	for n := range 4 {
		items = append(items, newItem(fmt.Sprintf("https://b%d.example.fr/a.csv", n/2)))
		items[4+n].Path += fmt.Sprint(n, ".csv")
	}
	for _, r := range s.run(dir, client, items...) {
		if r.State != fetch.Fetched {
			t.Error(r.Err)
		}
	}
	if highest["a.example.fr"] != 2 || highestOfAll != 4 {
		t.Errorf("%v of each host at a time, %d of all", highest, highestOfAll)
	}
}
