package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"arpent/api/ingest/fetch"
	"arpent/api/ingest/fetch/producer"
	"arpent/api/ingest/official"
	"arpent/api/source"
	"arpent/api/topic"
	"arpent/app/dev/loadkit"
)

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
	case source.Parquet:
		return s.Name + ".parquet", "PAR1....PAR1"
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if _, err := z.Create("a"); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return s.Name + ".zip", b.String()
}

// A producer that fails keeps no other source from arriving, whichever it is and however it fails: its
// sources are named once, with the reason, and the same command asks them again and no others' files in vain.
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
	for fault, answer := range producerFaults {
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
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range catalogue {
				three := []source.Source{s, catalogue[(i+1)%len(catalogue)], catalogue[(i+2)%len(catalogue)]}
				dir := t.TempDir()
				run := func(fails string) (out string, err error) {
					mu.Lock()
					failing = fails
					clear(asked)
					mu.Unlock()
					plan, err := official.Catalogue{Sources: three}.Plan(t.Context(), client, official.Request{Sources: names(three)})
					if err != nil {
						t.Fatal(err)
					}
					report, err := fetch.Run(t.Context(), client, dir, plan.Items, nil)
					if err != nil {
						t.Fatal(err)
					}
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

func names(all []source.Source) (out []string) {
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
	contains(t, text.String(), "rules\t10000\t10000.0 MiB\t\tgpu.example.fr\tLicence Ouverte 2.0\n",
		"zones\t10001\t10000.0 MiB and 1 of unknown size\t\tgpu.example.fr, other.example.fr\t", "zones\t10000, of which 0\tit has none",
		"outlines\t\tit answers 404")
	if n := strings.Count(text.String(), "\n"); n > 12 {
		t.Errorf("%d lines", n)
	}
	b, err := json.Marshal(describePlan(p))
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Sources []struct{ Hosts []string }
		Files   []struct{ Address string }
	}
	if err := json.Unmarshal(b, &document); err != nil || len(document.Files) != 10_001 || !slices.Equal(document.Sources[1].Hosts, []string{"gpu.example.fr", "other.example.fr"}) {
		t.Errorf("%d files, sources %+v, %v", len(document.Files), document.Sources, err)
	}
}
