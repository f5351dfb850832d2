package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/ingest/official"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/topic"
)

// An operator fetches a commune once; from then on one command asks for it
// again, loads it, and says what became of it.
func TestUpdateCommand(t *testing.T) { // not parallel: commands read the environment
	_, url := testkit.DB(t)
	names := namesOf(t)
	var parcels atomic.Pointer[string]
	serve := func(features ...string) {
		content := loadkit.Zipped(loadkit.Collection(features...))
		parcels.Store(&content)
	}
	serve(loadkit.Parcel(1, 10), loadkit.Parcel(2, 20))
	producers := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if names(w, r) {
			return
		}
		if !strings.HasSuffix(r.URL.Path, "/communes/01/01001/cadastre-01001-parcelles.json.gz") {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(*parcels.Load()))
	}))
	t.Cleanup(producers.Close)
	state := t.TempDir()
	for name, value := range map[string]string{"ARPENT_DATABASE_URL": url, "ARPENT_STATE_DIR": state, "ARPENT_DATA": t.TempDir(), "ARPENT_MIRROR": producers.URL,
		"ARPENT_CONTACT_EMAIL": "ops@example.org"} {
		t.Setenv(name, value)
	}
	t.Chdir(t.TempDir()) // without the starter data

	if _, err := runArpent(t, "", "update"); err == nil || !strings.Contains(err.Error(), "nothing was fetched yet") {
		t.Errorf("without anything: %v", err)
	}
	mustRun(t, "fetch", "parcelles-etalab", "--commune", "01001")
	expectParts(t, mustRun(t, "update"), "4 files asked for", "4 loaded", "0 replaced files deleted")
	expectParts(t, mustRun(t, "update"), "0 loaded (0 rows", "4 unchanged")
	expectParts(t, mustRun(t, "update", "--dry-run"), "parcelles-etalab of 01001", "cadastre.data.gouv.fr")

	serve(loadkit.Parcel(1, 10))
	out, err := runArpent(t, "", "update")
	if err == nil {
		t.Error("a source that got worse is no error")
	}
	expectParts(t, out, "Not brought up to date", "it has 1 rows, 50.0 % fewer than the 2 that are served", "arpent load")
	expectParts(t, mustRun(t, "mail", "list"), "sources_kept", "ops@example.org")
	var all []ingest.SourceStatus
	testkit.NoError(t, json.Unmarshal([]byte(mustRun(t, "sources", "--json")), &all))
	for _, s := range all {
		if s.Name == "parcelles-etalab" && (!s.Late || s.CheckedAt == nil || s.Rhythm != "quarterly" || s.Rows != 2 || !strings.Contains(s.Problem, "fewer")) {
			t.Errorf("%+v", s)
		}
	}
	if _, err := runArpent(t, "", "load", "--force"); err == nil || !strings.Contains(err.Error(), "50.0 % fewer") {
		t.Errorf("a full load takes the worse file, too: %v", err)
	}
	if _, err := runArpent(t, "", "load", "parcelles-etalab", "dvf", "--departement", "01"); err == nil || !strings.HasPrefix(err.Error(), "no file of dvf 01 is in ") {
		t.Errorf("a source without a file: %v", err)
	}
	expectParts(t, mustRun(t, "update", "--json"), `"problems": []`, `"unchanged": 4`)
	if _, err := os.Stat(filepath.Join(state, "downloads", "requests.jsonl")); err != nil {
		t.Error(err)
	}
}

// namesOf returns a handler of the requests for names and codes, which answers from the starter data. It
// reports whether a request was one of these.
func namesOf(t *testing.T) func(http.ResponseWriter, *http.Request) bool {
	t.Helper()
	codes := filepath.Join(testkit.Box(t), "cog")
	return func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasPrefix(r.URL.Path, "/unpkg.com/") {
			return false
		}
		name := strings.TrimSuffix(path.Base(r.URL.Path), ".json")
		files, err := filepath.Glob(filepath.Join(codes, name+"*.json.gz"))
		if err != nil || len(files) != 1 {
			http.NotFound(w, r)
			return true
		}
		packed, err := os.Open(files[0])
		if err != nil {
			http.NotFound(w, r)
			return true
		}
		defer packed.Close()
		content, err := gzip.NewReader(packed)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return true
		}
		_, _ = io.Copy(w, content)
		return true
	}
}

// A user with the program alone fetches a département with one command: the names of its communes, which some
// producers have to be asked for one by one, are fetched before.
func TestFetchWithoutNames(t *testing.T) { // not parallel: commands read the environment
	names := namesOf(t)
	var asked struct {
		sync.Mutex
		paths []string
	}
	producers := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Lock()
		asked.paths = append(asked.paths, r.URL.String())
		asked.Unlock()
		if names(w, r) {
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(producers.Close)
	for name, value := range map[string]string{"ARPENT_DATA": t.TempDir(), "ARPENT_STATE_DIR": t.TempDir(), "ARPENT_MIRROR": producers.URL} {
		t.Setenv(name, value)
	}
	t.Chdir(t.TempDir()) // no folder has the names
	for range 2 {        // the outlines that the documents stand on are not there: that is an error each time, and a missing document is none
		out, err := runArpent(t, "", "fetch", "gpu-zones", "--departement", "75")
		if err == nil || lineCount(out, "contours-communes") != 1 || lineCount(out, "gpu-zones") != 1 {
			t.Errorf("without outlines: %v\n%s", err, out)
		}
		expectParts(t, out, "0 failed", "lists no document in force")
		asked.Lock()
		if n := strings.Count(strings.Join(asked.paths, "\n"), "communes-5m.geojson.gz"); n == 0 {
			t.Error("the outlines are not asked for")
		}
		asked.Unlock()
	}
	out, _ := runArpent(t, "", "doctor")
	expectParts(t, out, "ok       commune codes  ")
	if _, err := runArpent(t, "", "fetch", "gpu-zones", "--json"); err == nil || !strings.Contains(err.Error(), "--dry-run") {
		t.Errorf("JSON that is none: %v", err)
	}
	got := strings.Join(asked.paths, "\n")
	if names, documents := strings.Index(got, "/communes.json"), strings.Index(got, "DU_75056"); names < 0 || documents < names || !strings.Contains(got, "DU_200054781") {
		t.Errorf("asked in this order:\n%s", got)
	}
}

// producerFaults are the ways in which a producer fails.
var producerFaults = map[string]http.HandlerFunc{
	"404":  http.NotFound,
	"500":  func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "down", http.StatusInternalServerError) },
	"HTML": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html><title>Maintenance</title></html>") },
	"cut": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, "code;name\n01001;")
	},
	"empty": func(http.ResponseWriter, *http.Request) {},
}

// tinyFile is a whole file of a format, and its name.
func tinyFile(t *testing.T, s source.Source) (name, content string) {
	t.Helper()
	switch s.Read.Format {
	case source.CSV:
		return s.Name + ".csv", "code;name\n" + strings.Repeat("01001;Ain\n", int(s.Checks.MinRows)+1)
	case source.JSON, source.JSONLines:
		return s.Name + ".json", "[]"
	case source.GeoJSON:
		return s.Name + ".geojson", loadkit.Collection(loadkit.Parcel(1, 10))
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	testkit.Must(z.Create("a"))(t)
	testkit.NoError(t, z.Close())
	return s.Name + ".zip", b.String()
}

// A producer that fails keeps no other source from arriving, whichever it is and however it fails: its
// sources are named once, with the reason, and the same command asks them again and no others' files in vain.
// Each fails in one of the ways in turn, and in make soak in all of them.
func TestEachProducerThatFails(t *testing.T) {
	t.Parallel()
	var catalogue []source.Source
	files := map[string]string{} // by host and name
	for _, s := range topic.Sources() {
		if !s.IsFetched() {
			continue
		}
		name, content := tinyFile(t, s)
		host := s.Name + ".example.fr"
		s.Origins = []fetch.Origin{{From: producer.At{Address: "https://" + host + "/" + name}}}
		files["/"+host+"/"+name] = content
		catalogue = append(catalogue, s)
	}
	if len(catalogue) < 50 {
		t.Fatalf("%d sources have an address", len(catalogue))
	}
	tries := testkit.Rounds(1, len(producerFaults))
	for nth, fault := range slices.Sorted(maps.Keys(producerFaults)) {
		answer := producerFaults[fault]
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			failing, asked := "", map[string]int{}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				host := strings.Split(r.URL.Path, "/")[1]
				asked[host]++
				fails := host == failing+".example.fr"
				mu.Unlock()
				if fails {
					answer(w, r)
					return
				}
				w.Header().Set("ETag", `"1"`)
				http.ServeContent(w, r, path.Base(r.URL.Path), time.Time{}, strings.NewReader(files[r.URL.Path]))
			}))
			t.Cleanup(server.Close)
			client, err := fetch.NewClient(fetch.Options{Mirror: server.URL, Sleep: func(context.Context, time.Duration) error { return nil }})
			testkit.NoError(t, err)
			for i, s := range catalogue {
				if (i+nth)%len(producerFaults) >= tries {
					continue // it fails in another way
				}
				three := []source.Source{s, catalogue[(i+1)%len(catalogue)], catalogue[(i+2)%len(catalogue)]}
				dir := t.TempDir()
				run := func(fails string) (out string, err error) {
					mu.Lock()
					failing = fails
					clear(asked)
					mu.Unlock()
					plan, err := official.Catalogue{Sources: three}.Plan(t.Context(), client, official.Request{Sources: sourceNames(three)})
					testkit.NoError(t, err)
					report, err := fetch.Run(t.Context(), client, dir, plan.Items, nil)
					testkit.NoError(t, err)
					var text bytes.Buffer
					cmd := &cobra.Command{}
					cmd.SetOut(&text)
					err = printFetched(cmd, dir, plan, report)
					return text.String(), err
				}
				for _, want := range []string{"2 fetched", "0 fetched"} { // the second run asks again
					out, err := run(s.Name)
					if n := lineCount(out, s.Name); err == nil || n != 1 || !strings.Contains(out, want) || !strings.Contains(out, "1 failed") {
						t.Fatalf("%s: named %d times, %v\n%s", s.Name, n, err, out)
					}
					if mu.Lock(); asked[s.Name+".example.fr"] == 0 {
						t.Errorf("%s is not asked again", s.Name)
					}
					mu.Unlock()
				}
				if out, err := run(""); err != nil || !strings.Contains(out, "1 fetched") {
					t.Fatalf("%s has recovered: %v\n%s", s.Name, err, out)
				}
			}
		})
	}
}

// Where all producers fail, each source is named once, whichever catalogue, service or file is asked for it:
// no error message passes for a list of files or for data, and none ends the command early. A source that
// has moved shows also where its files are published by département.
func TestEachCatalogueThatFails(t *testing.T) {
	t.Parallel()
	catalogue := official.Catalogue{
		Sources:   slices.DeleteFunc(topic.Sources(), func(s source.Source) bool { return !s.IsFetched() }),
		Communes:  func(string) ([]string, error) { return []string{"93010"}, nil },
		Groupings: func(fetch.Place) ([]string, error) { return []string{"200057875"}, nil },
	}
	names := sourceNames(catalogue.Sources)
	for fault, answer := range producerFaults {
		for area, request := range map[string]official.Request{"France": {Sources: names}, "a commune": {Sources: names, Commune: "93010"}} {
			if area == "France" && (fault == "500" || fault == "cut") {
				continue // thousands of requests, each five times
			}
			t.Run(fault+" of "+area, func(t *testing.T) {
				t.Parallel()
				server := httptest.NewServer(answer)
				t.Cleanup(server.Close)
				client, err := fetch.NewClient(fetch.Options{Mirror: server.URL, Sleep: func(context.Context, time.Duration) error { return nil }})
				testkit.NoError(t, err)
				plan := testkit.Must(catalogue.Plan(t.Context(), client, request))(t)
				dir := t.TempDir()
				report := testkit.Must(fetch.Run(t.Context(), client, dir, plan.Items, nil))(t)
				var text bytes.Buffer
				cmd := &cobra.Command{}
				cmd.SetOut(&text)
				if err := printFetched(cmd, dir, plan, report); err == nil {
					t.Error("it is no error")
				}
				expectParts(t, text.String(), "\n0 fetched (")
				for _, name := range names {
					if n := lineCount(text.String(), name); n != 1 {
						t.Errorf("%s is named %d times", name, n)
					}
				}
				if t.Failed() {
					t.Log(text.String())
				}
			})
		}
	}
}

func sourceNames(all []source.Source) (out []string) {
	for _, s := range all {
		out = append(out, s.Name)
	}
	return out
}

// lineCount is how many lines begin with a word.
func lineCount(text, word string) (n int) {
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) > 0 && fields[0] == word {
			n++
		}
	}
	return n
}

// What would be fetched is one line a source, also where it is ten thousand files, and each file in the JSON.
func TestPlanIsListedBySource(t *testing.T) {
	t.Parallel()
	var p official.Plan
	for i := range 10_000 {
		p.Items = append(p.Items, fetch.Item{Sources: []string{"zones", "rules"}, Licence: "Licence Ouverte 2.0", Path: fmt.Sprintf("a/%d.zip", i),
			Remote: fetch.Remote{Address: fmt.Sprintf("https://gpu.example.fr/%d.zip", i), Bytes: 1 << 20, Write: func(context.Context, *fetch.Client, io.Writer) error {
				return nil
			}}})
		p.Missing = append(p.Missing, official.Missing{Source: "zones", Place: fmt.Sprint(i), Why: "it has none", None: true})
	}
	p.Items = append(p.Items, fetch.Item{Sources: []string{"zones"}, Path: "b/x.zip", Remote: fetch.Remote{Address: "https://other.example.fr/x.zip"}})
	p.Missing = append(p.Missing, official.Missing{Source: "outlines", Why: "it answers 404"})
	var text bytes.Buffer
	printPlan(&text, p)
	expectParts(t, text.String(), "rules\t10000\t10000.0 MiB\t\tgpu.example.fr\tLicence Ouverte 2.0\n",
		"zones\t10001\t10000.0 MiB and 1 of unknown size\t\tgpu.example.fr, other.example.fr\t", "zones\t10000, of which 0\tit has none",
		"outlines\t\tit answers 404")
	if n := strings.Count(text.String(), "\n"); n > 12 {
		t.Errorf("%d lines", n)
	}
	b := testkit.Must(json.Marshal(describePlan(p)))(t)
	var document struct {
		Sources []struct{ Hosts []string }
		Files   []struct{ Address string }
	}
	if err := json.Unmarshal(b, &document); err != nil || len(document.Files) != 10_001 || !slices.Equal(document.Sources[1].Hosts, []string{"gpu.example.fr", "other.example.fr"}) {
		t.Errorf("%d files, sources %+v, %v", len(document.Files), document.Sources, err)
	}
}

// An operator reads at a glance what is loaded and what could be; the many sources without a
// file are a word away, and a program gets all.
func TestSourcesCommand(t *testing.T) { // not parallel: commands read the environment
	_, url := testkit.DB(t)
	data := t.TempDir()
	testkit.NoError(t, os.MkdirAll(filepath.Join(data, "radon"), 0o755))
	testkit.NoError(t, os.WriteFile(filepath.Join(data, "radon", "radon.csv"), []byte("insee_com;classe_potentiel\n"), 0o600))
	t.Setenv("ARPENT_DATABASE_URL", url)
	t.Setenv("ARPENT_DATA", data)
	t.Setenv("ARPENT_STATE_DIR", t.TempDir())

	short := mustRun(t, "sources")
	expectParts(t, short, "radon ", "files found, not loaded", "more have no file: arpent sources --all lists them.")
	if strings.Contains(short, "travel-times") || strings.Count(short, "\n") > 20 {
		t.Errorf("it lists\n%s", short)
	}
	expectParts(t, mustRun(t, "sources", "--all"), "radon ", "travel-times", "There is no public bulk source.")
	var all []ingest.SourceStatus
	if err := json.Unmarshal([]byte(mustRun(t, "sources", "--json")), &all); err != nil || len(all) != len(topic.Sources()) {
		t.Errorf("%d sources of %d as JSON, %v", len(all), len(topic.Sources()), err)
	}
}
