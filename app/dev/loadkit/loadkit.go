// Package loadkit is what the tests of loading share: a database with a folder of files and
// a loader, and synthetic sources and files.
package loadkit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/dev/testkit"
	"arpent/internal/clock"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/source"
)

// Fixture is a database, a data folder and a loader for one test.
type Fixture struct {
	T         testing.TB
	DB        *pgxpool.Pool
	Box       string // the folder of the starter data
	Data      string // the folder of files
	State     string
	Catalogue []source.Source
	Clock     *clock.Fixed
}

// New makes a fixture of sources.
func New(t testing.TB, catalogue ...source.Source) *Fixture {
	t.Helper()
	db, _ := testkit.DB(t)
	return &Fixture{
		T: t, DB: db, Box: t.TempDir(), Data: t.TempDir(), State: t.TempDir(), Catalogue: catalogue,
		Clock: clock.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)),
	}
}

// Loader loads the files of the fixture.
func (f *Fixture) Loader() *ingest.Loader {
	return ingest.New(ingest.Options{
		DB: f.DB, Catalogue: f.Catalogue, Box: f.Box, DataDir: f.Data, StateDir: f.State,
		Clock: f.Clock,
	})
}

// Load loads everything and returns the outcomes by source and scope.
func (f *Fixture) Load(r ingest.Request) (map[string]ingest.Outcome, error) {
	f.T.Helper()
	all, err := f.Loader().Load(f.T.Context(), r)
	out := map[string]ingest.Outcome{}
	for _, o := range all {
		out[strings.TrimSpace(o.Source+" "+o.Scope)] = o
	}
	return out, err
}

// MustLoad is Load of everything, which has to succeed.
func (f *Fixture) MustLoad() map[string]ingest.Outcome {
	f.T.Helper()
	out, err := f.Load(ingest.Request{})
	testkit.NoError(f.T, err)
	return out
}

// File writes a file of the data folder. Each is an hour newer than the one before.
func (f *Fixture) File(name, content string) {
	f.T.Helper()
	f.writeFile(f.Data, name, content)
}

// BoxFile writes a file of the box. Each is an hour newer than the one before.
func (f *Fixture) BoxFile(name, content string) {
	f.T.Helper()
	f.writeFile(f.Box, name, content)
}

func (f *Fixture) writeFile(folder, name, content string) {
	f.T.Helper()
	path := filepath.Join(folder, filepath.FromSlash(name))
	testkit.NoError(f.T, os.MkdirAll(filepath.Dir(path), 0o755))
	testkit.NoError(f.T, os.WriteFile(path, []byte(content), 0o644))
	f.Clock.Advance(time.Hour)
	testkit.NoError(f.T, os.Chtimes(path, f.Clock.Now(), f.Clock.Now()))
}

// Exec runs a statement.
func (f *Fixture) Exec(sql string, args ...any) {
	f.T.Helper()
	testkit.Exec(f.T, f.DB, sql, args...)
}

// Text returns the rows of a query, one a line, columns separated by "|", null as an empty text.
func (f *Fixture) Text(sql string) string {
	f.T.Helper()
	var out *string
	err := f.DB.QueryRow(f.T.Context(), "SELECT string_agg(concat_ws('|', VARIADIC r), E'\\n' ORDER BY r) FROM (SELECT array(SELECT coalesce(value, '') "+
		"FROM json_each_text(row_to_json(q))) AS r FROM ("+sql+") q) s").Scan(&out)
	testkit.NoError(f.T, err)
	if out == nil {
		return ""
	}
	return *out
}

// Want fails the test when a query does not give these rows, as Text writes them.
func (f *Fixture) Want(sql, want string) {
	f.T.Helper()
	if got := f.Text(sql); got != strings.TrimSpace(want) {
		f.T.Errorf("%s\ngives\n%s\nwant\n%s", sql, got, strings.TrimSpace(want))
	}
}
