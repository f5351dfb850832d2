package geocode_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api/geocode"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/topic"
)

// realFiles is a database and the real files that are loaded into it.
type realFiles struct {
	t    *testing.T
	pool *pgxpool.Pool
	load *ingest.Loader
}

func newReal(t *testing.T) realFiles {
	pool, _ := testkit.DB(t)
	return realFiles{t, pool, ingest.New(ingest.Options{DB: pool, Catalogue: topic.Sources(), DataDir: testkit.Box(t), StateDir: t.TempDir()})}
}

// loadSources loads the sources and gives the rows of each, and of
// each the reason why a part of it was refused.
func (r realFiles) loadSources(sources ...string) (rows map[string]int64, refused map[string]string) {
	r.t.Helper()
	out, _ := r.load.Load(r.t.Context(), ingest.Request{Sources: sources}) // the error joins those of the outcomes
	rows, refused = map[string]int64{}, map[string]string{}
	for _, o := range out {
		rows[o.Source] += o.Rows
		if o.Refused > 0 {
			r.t.Errorf("%s: %d refused: %v", o.Source, o.Refused, o.Rejections)
		}
		if o.Err != nil {
			refused[o.Source+" "+o.Scope] = o.Err.Error()
		}
	}
	return rows, refused
}

// The files of the box load through their declarations, and the search
// built from the tables finds what is in them.
func TestRealSources(t *testing.T) {
	t.Parallel()
	r := newReal(t)
	rows, refused := r.loadSources("cog", "ban", "postcodes")
	if len(refused) > 0 {
		t.Errorf("refused: %v", refused)
	}
	for source, want := range map[string]int64{"cog-communes": 37590, "cog-movements": 13607, "postcodes": 39201, "ban": 8413} {
		testkit.Want(t, rows[source], want, source, ": rows")
	}
	var ended string
	if err := r.pool.QueryRow(t.Context(), "SELECT string_agg(code || ' ' || name, ', ' ORDER BY code) FROM geo.commune_ended").Scan(&ended); err != nil {
		t.Fatal(err)
	}
	testkit.Want(t, ended, "97123 Saint-Barthélemy, 97127 Saint-Martin", "communes without a successor")
	s := geocode.New(r.pool, t.TempDir(), topic.Sources())
	refreshStore(t, s)
	t.Logf("%+v, %d bytes", s.Index().Counts(), s.Index().Size())
	checkRightFirst(t, s.Index(), readQueries(t, "queries.csv"), 300)
	for _, q := range []string{"97150", "97133", "Saint-Martin 97150"} {
		r := s.Index().Search(geocode.Request{Query: q, Limit: 5})
		if len(r.Data) > 0 || !strings.Contains(textOrEmpty(r.Hint), "an overseas collectivity") {
			t.Errorf("%q: %v, hint %q; want no answer and the collectivity", q, resultLabels(r), textOrEmpty(r.Hint))
		}
	}
}
