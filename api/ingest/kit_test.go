package ingest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api/ingest"
	"arpent/api/source"
	"arpent/app/base/clock"
	"arpent/app/dev/testkit"
)

// bench is a database, a data folder and a loader for one test.
type bench struct {
	t         testing.TB
	db        *pgxpool.Pool
	data      string
	state     string
	catalogue []source.Source
	cadastre  string
	clock     *clock.Fixed
}

func newBench(t testing.TB, catalogue ...source.Source) *bench {
	t.Helper()
	db, _ := testkit.DB(t)
	return &bench{
		t: t, db: db, data: t.TempDir(), state: t.TempDir(), catalogue: catalogue,
		clock: clock.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)),
	}
}

func (b *bench) loader() *ingest.Loader {
	return ingest.New(ingest.Options{
		DB: b.db, Catalogue: b.catalogue, DataDir: b.data, StateDir: b.state, Packages: []string{},
		CadastreURL: b.cadastre, Clock: b.clock,
	})
}

// load loads everything and returns the outcomes by source and scope.
func (b *bench) load(r ingest.Request) (map[string]ingest.Outcome, error) {
	b.t.Helper()
	all, err := b.loader().Load(b.context(), r)
	out := map[string]ingest.Outcome{}
	for _, o := range all {
		out[strings.TrimSpace(o.Source+" "+o.Scope)] = o
	}
	return out, err
}

func (b *bench) mustLoad() map[string]ingest.Outcome {
	b.t.Helper()
	out, err := b.load(ingest.Request{})
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

func (b *bench) context() context.Context {
	if t, ok := b.t.(*testing.T); ok {
		return t.Context()
	}
	return context.Background()
}

// file writes a file of the data folder. Each is an hour newer than the one before.
func (b *bench) file(name, content string) {
	b.t.Helper()
	path := filepath.Join(b.data, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
	b.clock.Advance(time.Hour)
	if err := os.Chtimes(path, b.clock.Now(), b.clock.Now()); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) exec(sql string, args ...any) {
	b.t.Helper()
	if _, err := b.db.Exec(b.context(), sql, args...); err != nil {
		b.t.Fatal(err)
	}
}

// text returns the rows of a query, one a line, columns separated by "|", null as an empty text.
func (b *bench) text(sql string) string {
	b.t.Helper()
	var out *string
	err := b.db.QueryRow(b.context(), "SELECT string_agg(concat_ws('|', VARIADIC r), E'\\n' ORDER BY r) FROM (SELECT array(SELECT coalesce(value, '') "+
		"FROM json_each_text(row_to_json(q))) AS r FROM ("+sql+") q) s").Scan(&out)
	if err != nil {
		b.t.Fatal(err)
	}
	if out == nil {
		return ""
	}
	return *out
}

func (b *bench) want(sql, want string) {
	b.t.Helper()
	if got := b.text(sql); got != strings.TrimSpace(want) {
		b.t.Errorf("%s\ngives\n%s\nwant\n%s", sql, got, strings.TrimSpace(want))
	}
}

func zipped(content string) string {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write([]byte(content)); err != nil {
		panic(err) // a buffer takes everything
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return out.String()
}

// collection is a GeoJSON file of features, given as their text.
func collection(features ...string) string {
	return `{"type":"FeatureCollection","features":[` + strings.Join(features, ",\n") + `]}`
}

// square is a square of 0.001 degree whose south-west corner is given.
func square(west, south float64) string {
	const side = 0.001
	east, north := west+side, south+side
	return fmt.Sprintf(`{"type":"Polygon","coordinates":[[[%[1]g,%[2]g],[%[3]g,%[2]g],[%[3]g,%[4]g],[%[1]g,%[4]g],[%[1]g,%[2]g]]]}`,
		west, south, east, north)
}

// contains fails the test when an error is missing or lacks one of the words.
func contains(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; expected one that says %q", words)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the error does not say %q: %v", w, err)
		}
	}
}
