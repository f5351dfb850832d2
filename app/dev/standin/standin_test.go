package standin_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"arpent/api/ingest/fetch"
	"arpent/api/ingest/fetch/producer"
	"arpent/api/ingest/official"
	"arpent/api/source"
	"arpent/api/topic"
	"arpent/app/base/clock"
	"arpent/app/dev/standin"
	"arpent/app/dev/testkit"
)

// now is when the producers are asked.
var now = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

// fixture is a stand-in that is served, a client that asks it in place of all hosts, and a folder for what is fetched.
type fixture struct {
	*standin.StandIn
	client *fetch.Client
	dir    string
}

func serve(t *testing.T, sources []source.Source, data string) *fixture {
	t.Helper()
	s, err := standin.New(sources, data, now)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	at := clock.At(now)
	client, err := fetch.NewClient(fetch.Options{Mirror: server.URL, Clock: at, Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
	if err != nil {
		t.Fatal(err)
	}
	return &fixture{s, client, t.TempDir()}
}

// bondy stands for all communes of a département.
func bondy(string) ([]string, error) { return []string{"93010"}, nil }

// run plans and fetches.
func (f *fixture) run(t *testing.T, sources []source.Source, r official.Request) fetch.Report {
	t.Helper()
	plan, err := official.Catalogue{Sources: sources, Communes: bondy}.Plan(t.Context(), f.client, r)
	if err != nil {
		t.Fatal(err)
	}
	report, err := fetch.Run(t.Context(), f.client, f.dir, plan.Items, nil)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// notFetched are the sources that have a file of France or of the département in the data folder and an address, and are not
// fetched.
var notFetched = map[string]string{
	"population-reference-workbook": "the workbook is of 2019; those that are declared are of 2022 and 2023",
}

// askedAgain are the files whose catalogue says of no edition: the rows are asked for again, and found to be the same.
var askedAgain = []string{"osm-supermarkets"}

// Whoever fetches a département gets a file for every source that has one, under a name that its declaration reads, and a second
// time nothing that has not changed.
func TestRealFilesAreFetched(t *testing.T) {
	t.Parallel()
	data := testkit.NationalData(t)
	sources := topic.Sources()
	f := serve(t, sources, data)
	request := official.Request{Departements: []string{"93"}}
	for _, s := range sources {
		request.Sources = append(request.Sources, s.Name)
	}
	f.checkFirst(t, sources, data, f.run(t, sources, request))
	sent := f.sent()
	report := f.run(t, sources, request)
	for _, r := range report.Results {
		if r.Err == nil && (r.State != fetch.Unchanged || r.Bytes != 0 && !slices.Contains(askedAgain, r.Item.Sources[0])) {
			t.Errorf("%s is %s the second time, with %d bytes received", r.Item.Path, r.State, r.Bytes)
		}
	}
	t.Logf("requests and bytes of the first time: %+v, of both: %+v", sent, f.sent())
}

// checkFirst checks what was fetched into an empty folder.
func (f *fixture) checkFirst(t *testing.T, sources []source.Source, data string, report fetch.Report) {
	t.Helper()
	fetched := map[string]bool{}
	for _, r := range report.Results {
		var status *fetch.StatusError
		if errors.As(r.Err, &status) && status.Status == http.StatusNotFound {
			continue // the folder has no such file
		}
		if r.State != fetch.Fetched {
			t.Errorf("%s is %s: %v", r.Item.Path, r.State, r.Err)
		}
		for _, name := range r.Item.Sources {
			fetched[name] = true
			if !reads(named(sources, name), r.Item.Path) {
				t.Errorf("%s is not read by %s", r.Item.Path, name)
			}
		}
	}
	var lacking []string
	for _, s := range sources {
		if published(s) && standin.HasFile(s, data, "93") && !fetched[s.Name] {
			lacking = append(lacking, s.Name)
		}
	}
	if want := slices.Sorted(maps.Keys(notFetched)); !slices.Equal(lacking, want) {
		t.Errorf("not fetched: %v; expected %v: %+v", lacking, want, f.Lacking())
	}
}

// published reports whether an address is known of a source.
func published(s source.Source) bool {
	return slices.ContainsFunc(s.Origins, func(o fetch.Origin) bool { return o.From != nil })
}

// sent is what all hosts were asked so far.
func (f *fixture) sent() (all standin.Count) {
	for _, c := range f.Counts() {
		all.Requests, all.Missing = all.Requests+c.Requests, all.Missing+c.Missing
		all.Bytes, all.FileBytes = all.Bytes+c.Bytes, all.FileBytes+c.FileBytes
	}
	return all
}

// The same files are offered again as the same bytes, whatever has to be packed, joined or unpacked for it: a producer that did
// otherwise would look as if it had changed.
func TestAnswersAreTheSameAgain(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"MENSQ_93_latest-2025-2026.csv": "a;b\n1;2\n", "zones-93010.geojson": one, "zones-93011.geojson": two})
	sources := []source.Source{
		declaration("climate", `MENSQ_(?P<scope>[0-9]{2})_latest[^/]*\.csv(\.gz)?$`, fetch.Origin{
			From: producer.At{Address: "https://a.fr/MENSQ_{departement}_latest.csv.gz"}, Area: fetch.Departement}),
		declaration("zones", `zones-(?P<scope>[0-9]+)\.(geojson|7z)$`, fetch.Origin{
			From: producer.At{Address: "https://a.fr/zones-{departement}.7z"}, Area: fetch.Departement}),
	}
	var before map[string]string
	for range 2 {
		f := serve(t, sources, dir)
		f.run(t, sources, official.Request{Departements: []string{"93"}})
		if now := f.files(t); before != nil && !maps.Equal(before, now) {
			t.Errorf("%q, before %q", now, before)
		} else {
			before = now
		}
	}
	if len(before) != 2 {
		t.Errorf("%d files", len(before))
	}
}

func named(sources []source.Source, name string) source.Source {
	return sources[slices.IndexFunc(sources, func(s source.Source) bool { return s.Name == name })]
}

func reads(s source.Source, name string) bool {
	return slices.ContainsFunc(s.Files, func(f source.Files) bool { return regexp.MustCompile(f.Path).MatchString(filepath.ToSlash(name)) })
}
