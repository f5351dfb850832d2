// Package served_test holds the sources of the report to the layouts in which their producers serve their
// files today: under which names, in which packages, with which columns, and what is loaded from them.
package served_test

import (
	"regexp"
	"strings"
	"testing"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/reportkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/topic"
)

// fixture is a database with a few communes and one parcel, into which tests load small files.
type fixture struct{ *reportkit.Fixture }

func newFixture(t *testing.T) *fixture { return &fixture{reportkit.New(t)} }

// Short names of what most tests use.
type extent = reportkit.Extent

var plot, features, lines, loaded = reportkit.Plot, loadkit.Collection, reportkit.Lines, reportkit.Loaded

// served is a file as its producer serves it today, under the name that
// it is saved by, and what has to come of it.
type served struct {
	source string
	put    func(b *fixture) // writes the file
	query  string           // of what is in the database then, as one text a row
	want   string           // its rows, a line each
}

// checkServed loads each file into a database of its own. None of its rows may be refused:
// what is not meant for the source is dropped.
func checkServed(t *testing.T, all []served) {
	t.Helper()
	for _, s := range all {
		t.Run(s.source, func(t *testing.T) {
			t.Parallel()
			b := newFixture(t)
			s.put(b)
			if out := b.LoadSource(s.source); out.Err != nil || out.Refused != 0 {
				t.Fatalf("%d rows refused, %v: %v", out.Refused, out.Err, out.Rejections)
			}
			if got := b.text(s.query); got != s.want {
				t.Errorf("it gives\n%s\nwant\n%s", got, s.want)
			}
		})
	}
}

// plain puts a file of text, zipped an archive of members, and packaged a GeoPackage of layers in Lambert-93.
func plain(path string, content ...string) func(*fixture) {
	return func(b *fixture) { b.Write(path, strings.Join(content, "\n")+"\n") }
}

func zipped(path string, members map[string]string) func(*fixture) {
	return func(b *fixture) { b.Archive(path, members) }
}

func packaged(path string, layers map[string]string) func(*fixture) {
	return func(b *fixture) {
		options := []string{"-t_srs", "EPSG:2154"}
		for layer, collection := range layers {
			b.Geodata(path, "GPKG", layer, collection, options...)
			options = []string{"-t_srs", "EPSG:2154", "-update"} // a further layer of the same file
		}
	}
}

// text is the answer to a query of one column, a row a line.
func (b *fixture) text(query string) string {
	b.T.Helper()
	rows, err := b.DB.Query(b.T.Context(), query)
	testkit.NoError(b.T, err)
	defer rows.Close()
	var out []string
	for rows.Next() {
		var row string
		testkit.NoError(b.T, rows.Scan(&row))
		out = append(out, row)
	}
	testkit.NoError(b.T, rows.Err())
	return strings.Join(out, "\n")
}

// takenBy reports whether a source takes a file, and the scope and vintage that it reads in its name.
func takenBy(path, name string) (taken bool, scope, vintage string) {
	for _, s := range topic.Sources() {
		for _, f := range s.Files {
			expr := regexp.MustCompile(f.Path)
			if m := expr.FindStringSubmatch(path); m != nil && s.Name == name && !taken {
				taken = true
				for i, group := range expr.SubexpNames() {
					switch group {
					case "scope":
						scope = m[i]
					case "vintage":
						vintage = m[i]
					}
				}
			}
		}
	}
	return taken, scope, vintage
}
