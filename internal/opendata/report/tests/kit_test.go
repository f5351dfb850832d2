// Package report_test holds the report of every topic to the files that its sources take: what is loaded,
// what the statement answers, and what it answers where nothing is loaded. The layouts in which producers
// serve those files today are those of the tests in served.
package report_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/reportkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/report"
	"arpent/internal/opendata/topic"
)

// fixture is a database with a few communes and one parcel, into
// which tests load small files, and its reports.
type fixture struct {
	*reportkit.Fixture
	store *report.Store
	here  report.Parcel // the square
}

// newFixture makes the fixture of a test, which runs in parallel with the others: each has a database.
func newFixture(t *testing.T) *fixture {
	t.Helper()
	t.Parallel()
	return openFixture(t)
}

// openFixture makes one of several fixtures of a test, or that of a test which runs alone.
func openFixture(t *testing.T) *fixture {
	t.Helper()
	b := reportkit.New(t)
	store, err := report.Open(t.Context(), report.Options{Catalogue: topic.Report(), URL: b.DB.Config().ConnString(), Timeout: time.Minute})
	testkit.NoError(t, err)
	t.Cleanup(store.Close)
	return &fixture{b, store, reportkit.ReadParcel(t, b.DB, square)}
}

// Short names of what most tests use.
type extent = reportkit.Extent

const square, squareWKT = reportkit.Square, reportkit.SquareWKT

var plot, features, lines, loaded = reportkit.Plot, loadkit.Collection, reportkit.Lines, reportkit.Loaded

// cover says that a layer is loaded for an area, for tests that write rows themselves.
func (b *fixture) cover(layer, area string) {
	b.T.Helper()
	b.Exec(`WITH l AS (
		INSERT INTO geo.load (source, scope, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
		VALUES ('test-' || $1, $2, 'test', 'test', 'test', '[]', '', 0, 0, '[]', now(), now(), true) RETURNING id)
		INSERT INTO geo.coverage (layer, area, load_id) SELECT $1, $2, id FROM l`, layer, area)
}

// value is the value of one key in the report of the test's parcel, as JSON; "null" when it has none.
func (b *fixture) value(key string) string {
	b.T.Helper()
	return b.valueOf(square, key)
}

// valueOf is the value of one key in the report of a parcel.
func (b *fixture) valueOf(idu, key string) string {
	b.T.Helper()
	return b.valueBy("", idu, key)
}

// valueBy is the value of one key in the report of a parcel that was found by an address.
func (b *fixture) valueBy(address, idu, key string) string {
	b.T.Helper()
	p := reportkit.ReadParcel(b.T, b.DB, idu)
	p.Address = address
	value, _ := reportkit.ReadKey(b.T, b.store, p, key)
	return value
}

// length says how much of a list the report of a parcel gives.
func (b *fixture) length(p report.Parcel, key string) *report.Length {
	b.T.Helper()
	p.Keys = []string{key}
	r, err := b.store.Report(b.T.Context(), p)
	testkit.NoError(b.T, err)
	return r.Lengths[slices.IndexFunc(topic.Report().Keys(), func(k report.Key) bool { return k.Name == key })]
}

// wants compares JSON without regard to blanks.
func (b *fixture) wants(key, want string) {
	b.T.Helper()
	got := b.value(key)
	if compact(b.T, got) != compact(b.T, want) {
		b.T.Errorf("%s is\n%s\nwant\n%s", key, got, want)
	}
}

func compact(t *testing.T, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	out, err := json.Marshal(v)
	testkit.NoError(t, err)
	return string(out)
}

// outline puts the outline of a commune in service.
func (b *fixture) outline(code string, x extent) {
	b.T.Helper()
	b.Exec(`INSERT INTO geo.commune_contour (code, geom, area_km2) VALUES ($1, ST_Multi(ST_GeomFromText($2, 4326)), 1)`, code, x.WKT())
}

// The arithmetic that tests compare shares with is right itself.
func TestShareOfRectangles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		x    extent
		want float64
	}{
		{plot, 100}, {extent{2, 48, 3, 49}, 100}, {extent{2.4805, 48.9, 2.49, 48.901}, 50}, {extent{2.481, 48.9, 2.49, 48.901}, 0},
	} {
		if got := c.x.On(plot); got != c.want {
			t.Errorf("%v covers %g %%, want %g", c.x, got, c.want)
		}
	}
}

func (b *fixture) path(name string) string { return filepath.Join(b.Data, filepath.FromSlash(name)) }

// gdal runs a command of GDAL, to make files of formats that are not text.
func (b *fixture) gdal(name string, args ...string) {
	b.T.Helper()
	if _, err := exec.LookPath(name); err != nil {
		b.T.Skipf("GDAL is not installed: %v", err)
	}
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		b.T.Fatalf("%s: %v: %s", name, err, out)
	}
}

// number is a member of a value.
func (b *fixture) number(key, member string) float64 {
	b.T.Helper()
	var value map[string]any
	testkit.NoError(b.T, json.Unmarshal([]byte(b.value(key)), &value))
	n, ok := value[member].(float64)
	if !ok {
		b.T.Fatalf("%s of %s is %v", member, key, value[member])
	}
	return n
}
