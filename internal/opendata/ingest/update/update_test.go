package update_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/ingest/official"
	"arpent/internal/opendata/ingest/update"
	"arpent/internal/opendata/source"
)

const (
	stable = "https://data.example.fr/places.csv"           // one address for all editions
	yearly = "https://data.example.fr/{year}/districts.csv" // each edition at its own
)

// testSources are one of each kind of address.
func testSources() []source.Source {
	places := loadkit.Places(source.Read{Format: source.CSV})
	places.Origins = []fetch.Origin{{From: producer.At{Address: stable}, As: "places.csv", Rhythm: "monthly"}}
	districts := loadkit.Places(source.Read{Format: source.CSV})
	districts.Name, districts.Target.Table = "districts", "geo.district"
	districts.Files = []source.Files{{Path: `(^|/)districts-(?P<vintage>[0-9]{4})\.csv$`}}
	districts.Origins = []fetch.Origin{{From: producer.At{Address: yearly}, As: "districts-{year}.csv", Rhythm: "yearly"}}
	return []source.Source{places, districts}
}

// standIn serves files in the place of the producers.
type standIn struct {
	url   string
	block func(int) // called when so many bytes were sent; may be nil

	mu       sync.Mutex
	files    map[string]string // address to content
	requests int
	sent     int
}

func newStandIn(t *testing.T) *standIn {
	t.Helper()
	s := &standIn{files: map[string]string{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// setRows has a file with so many rows served at an address.
func (s *standIn) setRows(address string, rows int) {
	var content strings.Builder
	content.WriteString("codgeo,libelle,population\n")
	for i := range rows {
		fmt.Fprintf(&content, "%05d,Commune %d,%d\n", 1000+i, i, rows)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[address] = content.String()
}

func (s *standIn) removeFile(address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.files, address)
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests++
	content, found := s.files["https:/"+r.URL.Path]
	s.mu.Unlock()
	if !found {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("ETag", fmt.Sprintf(`"%x"`, len(content)))
	http.ServeContent(counting{w, s}, r, "", time.Time{}, strings.NewReader(content))
}

type counting struct {
	http.ResponseWriter
	s *standIn
}

func (c counting) Write(b []byte) (int, error) {
	n, err := c.ResponseWriter.Write(b)
	c.s.mu.Lock()
	c.s.sent += n
	sent := c.s.sent
	c.s.mu.Unlock()
	if c.s.block != nil {
		c.s.block(sent)
	}
	return n, err
}

// takeCounts returns how many requests there were and how many bytes were sent since it was last called.
func (s *standIn) takeCounts() (requests, sent int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests, sent = s.requests, s.sent
	s.requests, s.sent = 0, 0
	return requests, sent
}

// installation is one that has asked for the sources.
type installation struct {
	*loadkit.Fixture
	*standIn
	notified [][]update.Problem
}

func newInstallation(t *testing.T) *installation {
	t.Helper()
	i := &installation{Fixture: loadkit.New(t, testSources()...), standIn: newStandIn(t)}
	i.Exec(loadkit.CreatePlace)
	i.Exec(strings.ReplaceAll(loadkit.CreatePlace, "geo.place", "geo.district"))
	testkit.NoError(t, official.Remember(i.downloadsFolder(), official.Request{}))
	i.setRows(stable, 100)
	i.setRows(yearlyAddress(2026), 50)
	return i
}

func yearlyAddress(year int) string { return strings.ReplaceAll(yearly, "{year}", fmt.Sprint(year)) }

func (i *installation) downloadsFolder() string { return filepath.Join(i.State, "downloads") }

func (i *installation) updateOptions() update.Options {
	i.T.Helper()
	client, err := fetch.NewClient(fetch.Options{Mirror: i.url, Clock: i.Clock, Sleep: func(_ context.Context, d time.Duration) error {
		i.Clock.Advance(d)
		return nil
	}})
	testkit.NoError(i.T, err)
	return update.Options{DB: i.DB, Catalogue: official.Catalogue{Sources: i.Catalogue}, Client: client, Loader: i.Loader(), Downloads: i.downloadsFolder(),
		Clock: i.Clock, Notify: func(_ context.Context, _ pgx.Tx, p []update.Problem) error {
			i.notified = append(i.notified, p)
			return nil
		}}
}

func (i *installation) runUpdate() update.Report {
	i.T.Helper()
	r, err := update.Run(i.T.(*testing.T).Context(), i.updateOptions())
	testkit.NoError(i.T, err)
	return r
}

// problemSources are the sources with a problem.
func problemSources(problems []update.Problem) string {
	var names []string
	for _, p := range problems {
		names = append(names, p.Source)
	}
	return strings.Join(names, " ")
}

// counts are the rows that are served.
const counts = "SELECT (SELECT count(*) FROM geo.place), (SELECT count(*) FROM geo.district)"

// An update fetches and loads what is new, and nothing when there is nothing new.
func TestUpdate(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	if r := i.runUpdate(); len(r.Problems) != 0 || len(r.Loads) != 2 {
		t.Fatalf("%+v", r)
	}
	i.Want(counts, "100|50")
	i.takeCounts()
	i.Clock.Advance(24 * time.Hour)
	r := i.runUpdate()
	if requests, sent := i.takeCounts(); sent > 1 || requests != 3 { // both files, and the first byte of the year's
		t.Errorf("nothing has changed, and %d requests bring %d bytes", requests, sent)
	}
	for _, o := range r.Loads {
		if o.State != "unchanged" {
			t.Errorf("%s", o)
		}
	}
	i.Want("SELECT source, checked_at::date, problem FROM geo.source_check", "districts|2026-01-03|\nplaces|2026-01-03|")
	i.setRows(stable, 101)
	if r := i.runUpdate(); len(r.Problems) != 0 {
		t.Errorf("%+v", r.Problems)
	}
	i.Want(counts, "101|50")
	if len(i.notified) != 0 {
		t.Errorf("notified of %v", i.notified)
	}
}

// What has got worse, or is gone, keeps its data; the operator is
// notified once, and again when it happens again.
func TestWorseEditions(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	i.runUpdate()
	i.setRows(stable, 60)
	for range 2 {
		r := i.runUpdate()
		if got := problemSources(r.Problems); got != "places" || !strings.Contains(r.Problems[0].Why, "40.0 % fewer") {
			t.Errorf("problems %+v", r.Problems)
		}
		i.Want(counts, "100|50")
	}
	if len(i.notified) != 1 || problemSources(i.notified[0]) != "places" {
		t.Errorf("notified of %v; expected once", i.notified)
	}
	i.Want("SELECT source, problem IS NOT NULL FROM geo.source_check", "districts|false\nplaces|true")
	i.setRows(stable, 110)
	if r := i.runUpdate(); len(r.Problems) != 0 {
		t.Errorf("%+v", r.Problems)
	}
	i.Want(counts, "110|50")
	i.removeFile(stable)
	if r := i.runUpdate(); problemSources(r.Problems) != "places" || len(i.notified) != 2 {
		t.Errorf("problems %+v, notified %v", r.Problems, i.notified)
	}
	i.Want(counts, "110|50")
}

// A source that never arrived is a problem each time, of which nothing is served, and not one whose former
// data are.
func TestSourceThatNeverArrived(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	i.removeFile(stable)
	for range 2 {
		r := i.runUpdate()
		if problemSources(r.Problems) != "places" || r.Problems[0].Served || !strings.Contains(r.Problems[0].Why, "ARPENT_MIRROR") {
			t.Errorf("problems %+v; expected places, without data, because of the mirror", r.Problems)
		}
		if requests, _ := i.takeCounts(); requests < 2 {
			t.Errorf("%d requests: what is missing is not asked for again", requests)
		}
	}
	if len(i.notified) != 1 {
		t.Errorf("notified %d times", len(i.notified))
	}
	i.setRows(stable, 100)
	i.runUpdate()
	i.removeFile(stable)
	if r := i.runUpdate(); problemSources(r.Problems) != "places" || !r.Problems[0].Served {
		t.Errorf("problems %+v; expected places, whose former data are served", r.Problems)
	}
	_, err := update.Run(t.Context(), func() update.Options { o := i.updateOptions(); o.Client = unreachableClient(t); return o }())
	loadkit.Contains(t, err, "the mirror http://127.0.0.1:", "(ARPENT_MIRROR) does not answer")
}

// The file of an edition is deleted once a newer one is loaded, and not while that one is refused.
func TestReplacedFilesAreDeleted(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	i.runUpdate()
	i.Clock.Advance(365 * 24 * time.Hour)
	i.setRows(yearlyAddress(2027), 20)
	if r := i.runUpdate(); len(r.Removed) != 0 || problemSources(r.Problems) != "districts" {
		t.Errorf("removed %v, problems %v", r.Removed, r.Problems)
	}
	i.setRows(yearlyAddress(2027), 51)
	r := i.runUpdate()
	if want := []string{"data.example.fr/districts-2026.csv"}; !slices.Equal(r.Removed, want) || len(r.Problems) != 0 {
		t.Errorf("removed %v, problems %v; expected %v", r.Removed, r.Problems, want)
	}
	i.Want(counts, "100|51")
	files, err := filepath.Glob(filepath.Join(i.downloadsFolder(), "data.example.fr", "*"))
	if err != nil || len(files) != 2 {
		t.Errorf("files %v, %v", files, err)
	}
}

// One update runs at a time, one is only run where something was fetched, and
// one that reaches no producer changes nothing.
func TestUpdatesThatDoNotRun(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	unlock := testkit.Must(update.Lock(t.Context(), i.DB))(t)
	if _, err := update.Run(t.Context(), i.updateOptions()); !errors.Is(err, update.ErrRunning) {
		t.Errorf("concurrently with another: %v", err)
	}
	unlock()
	o := i.updateOptions()
	o.Downloads = t.TempDir()
	if _, err := update.Run(t.Context(), o); !errors.Is(err, update.ErrNoRequests) {
		t.Errorf("without anything: %v", err)
	}
	i.runUpdate()
	o = i.updateOptions()
	o.Client = unreachableClient(t)
	if _, err := update.Run(t.Context(), o); !errors.Is(err, update.ErrUnreachable) {
		t.Errorf("without a connection: %v", err)
	}
	i.Want("SELECT source, problem FROM geo.source_check", "districts|\nplaces|")
}

// unreachableClient is a client whose producers do not answer.
func unreachableClient(t *testing.T) *fetch.Client {
	t.Helper()
	server := httptest.NewServer(nil)
	server.Close()
	client, err := fetch.NewClient(fetch.Options{Mirror: server.URL, Sleep: func(context.Context, time.Duration) error { return nil }})
	testkit.NoError(t, err)
	return client
}

// Requests are kept once each; a line that cannot be read is no reason to forget the others.
func TestRemembered(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bondy := official.Request{Sources: []string{"parcels", "sales"}, Commune: "93010"}
	for _, r := range []official.Request{{Sources: []string{official.Core}}, bondy, {}, bondy} {
		testkit.NoError(t, official.Remember(dir, r))
	}
	all, err := official.Remembered(dir)
	if got := fmt.Sprint(all, err); got != "[core of France parcels, sales of 93010 everything of France] <nil>" {
		t.Error(got)
	}
	testkit.NoError(t, os.WriteFile(filepath.Join(dir, "requests.jsonl"), []byte("{}\n{\"sou"), 0o600))
	_, err = official.Remembered(dir)
	loadkit.Contains(t, err, "requests.jsonl, line 2", "take the line out")
}
