package ingest_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"arpent/api/ingest"
	"arpent/api/source"
	"arpent/app/dev/loadkit"
)

// The list of sources distinguishes what is loaded, what could be and what has no file, and never hides what is served.
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
	b.Exec(`INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused, demonstration,
		started_at, loaded_at, active) VALUES ('other', 'p', 't', 'l', '[]', 'c', 7, 0, '[]', true, now(), now(), true)`)
	all, err := b.Loader().Sources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		name, state   string
		rows, refused int64
		demonstration bool
	}{
		{"places", "loaded", 3, 3, false}, {"waiting", "files found, not loaded", 0, 0, false}, {"none", "no file", 0, 0, false}, {"other", "demonstration", 7, 0, true},
	} {
		got := all[i]
		if got.Name != want.name || got.State != want.state || got.Rows != want.rows || got.Refused != want.refused || got.Demonstration != want.demonstration {
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
