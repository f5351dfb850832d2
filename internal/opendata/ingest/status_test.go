package ingest_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/source"
)

// The list of sources distinguishes what is loaded, what could be and what
// has no file, and never hides what is served.
func TestSourcesAreListed(t *testing.T) {
	t.Parallel()
	loaded, waiting, none := loadkit.Places(source.Read{Format: source.CSV}), loadkit.Places(source.Read{Format: source.CSV}), loadkit.Places(source.Read{Format: source.CSV})
	waiting.Name, waiting.Files = "waiting", []source.Files{{Path: `^waiting\.csv$`}}
	none.Name, none.Files = "none", []source.Files{{Path: `^none\.csv$`}}
	b := loadkit.New(t, loaded, waiting, none)
	b.Exec(loadkit.CreatePlace)
	b.File("places.csv", "codgeo\n01001\n01002\n1\nx\nx\nx\n")
	b.MustLoad()
	b.File("waiting.csv", "codgeo\n01001\n")
	b.Exec(`INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused,
		started_at, loaded_at, active) VALUES ('other', 'p', 't', 'l', '[]', 'c', 7, 0, '[]', now(), now(), true)`)
	all := testkit.Must(b.Loader().Sources(t.Context()))(t)
	for i, want := range []struct {
		name, state   string
		rows, refused int64
	}{
		{"places", "loaded", 3, 3}, {"waiting", "files found, not loaded", 0, 0}, {"none", "no file", 0, 0}, {"other", "loaded", 7, 0},
	} {
		got := all[i]
		if got.Name != want.name || got.State != want.state || got.Rows != want.rows || got.Refused != want.refused {
			t.Errorf("line %d is %+v; want %+v", i, got, want)
		}
		if (got.LoadedAt != nil) != (want.rows > 0) {
			t.Errorf("%s: loaded at %v", got.Name, got.LoadedAt)
		}
	}
}

// A log of a run says what came in, what was refused and why, in plain lines.
func TestLines(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := ingest.Lines(&out)
	p.Start("s 75", 20<<20)
	p.Add(20 << 20)
	p.Done(ingest.Outcome{Source: "s", Scope: "75", Vintage: "2024", State: ingest.Loaded, Rows: 2, Refused: 1, Took: 1500 * time.Millisecond,
		Rejections: []ingest.Rejection{{File: "f", Line: 3, Reason: "it has no code"}}})
	p.Start("s 01", 5)
	p.Done(ingest.Outcome{Source: "s", Scope: "01", State: ingest.Refused, Err: errors.New("f: it is empty")})
	p.Done(ingest.Outcome{Source: "s", Scope: "02", State: ingest.Unchanged})
	want := "s 75: 20 MiB…\ns 75 2024: 2 rows in 1.5s, 1 refused (f, row 3: it has no code)\n" +
		"s 01: refused, what was there stays: f: it is empty\ns 02: nothing new\n"
	if out.String() != want {
		t.Errorf("lines\n%swant\n%s", out.String(), want)
	}
}

// A request for a place that cannot exist is an error before anything is fetched or loaded.
func TestCodesOfARequestAreChecked(t *testing.T) {
	t.Parallel()
	b := loadkit.Cadastre(t)
	_, err := b.Load(ingest.Request{Departement: "../75"})
	loadkit.Contains(t, err, `"../75"`, "département")
	_, err = b.Load(ingest.Request{Commune: "2a247"})
	loadkit.Contains(t, err, `"2a247"`, "commune")
}

// An old edition is late however lately its file was loaded, until an update has
// asked the producer, and found nothing newer.
func TestLatenessCountsFromTheEdition(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	loaded := now.AddDate(0, 0, -1)
	mayors := source.Source{Origins: []fetch.Origin{{Rhythm: "quarterly"}}}
	for _, c := range []struct {
		what    string
		checked ingest.Checked
		vintage string
		late    bool
	}{
		{"an edition of four years ago", ingest.Checked{}, "2022-01-27", true},
		{"an edition of this month", ingest.Checked{}, "2026-11-01", false},
		{"an edition of tomorrow", ingest.Checked{}, "2026-12-31", false},
		{"a file without a date", ingest.Checked{}, "", false},
		{"an old edition than which the producer has none newer", ingest.Checked{At: now}, "2022-01-27", false},
		{"an old edition loaded since the producer was asked", ingest.Checked{At: loaded.AddDate(0, 0, -1)}, "2022-01-27", true},
		{"one whose newer edition could not be loaded", ingest.Checked{At: now, Problem: "refused"}, "2026-11-01", true},
	} {
		testkit.Want(t, c.checked.Late(mayors, c.vintage, loaded, now), c.late, c.what, ": late")
	}
	if late := (ingest.Checked{}).Late(source.Source{}, "2014", loaded, now); late {
		t.Error("a source without a rhythm is late")
	}
}
