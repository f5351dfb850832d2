package topic_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/topic"
)

// Every source says where its files come from, or what was looked for.
func TestEverySourceSaysWhereItIsPublished(t *testing.T) {
	t.Parallel()
	for _, s := range topic.Sources() {
		if len(s.Origins) == 0 {
			t.Errorf("%s says nothing of where it is published", s.Name)
		}
		for _, o := range s.Origins {
			checkOrigin(t, s, o)
		}
	}
}

func checkOrigin(t *testing.T, s source.Source, o fetch.Origin) {
	t.Helper()
	if o.From == nil {
		if o.Note == "" {
			t.Errorf("%s has no address, and does not say what was looked for", s.Name)
		}
		return
	}
	if o.Evidence != fetch.Read && o.Evidence != fetch.Derived {
		t.Errorf("%s: the address has evidence %q", s.Name, o.Evidence)
	}
	if !source.IsRhythm(o.Rhythm) {
		t.Errorf("%s: rhythm %q is none of those that the list of sources knows", s.Name, o.Rhythm)
	}
	if _, err := time.Parse("2006-01", o.ReadOn[:min(7, len(o.ReadOn))]); err != nil {
		t.Errorf("%s: read on %q; expected a month or a day", s.Name, o.ReadOn)
	}
	if o.Basis == "" || o.From.String() == "" {
		t.Errorf("%s: an origin says neither what it was read in nor where it looks", s.Name)
	}
}

// What is saved has a name that the declaration reads.
func TestSavedNamesAreRead(t *testing.T) {
	t.Parallel()
	place := fetch.Place{Departement: "93", Commune: "93010"}
	for _, s := range topic.Sources() {
		for _, o := range s.Origins {
			if o.From == nil || o.As == "" {
				continue
			}
			name := o.Name(fetch.Remote{Served: "served.csv", Fields: map[string]string{"year": "2025", "yy": "25", "quarter": "4"}}, place)
			if strings.Contains(o.As, "{served}") {
				continue // the served name was read with the declaration
			}
			if strings.ContainsAny(name, "{}") {
				t.Errorf("%s: %q has a placeholder that stays: %s", s.Name, o.As, name)
			}
			if !slices.ContainsFunc(s.Files, func(f source.Files) bool { return regexp.MustCompile(f.Path).MatchString("host.example/" + name) }) {
				t.Errorf("%s: saved as %s, which its declaration does not read", s.Name, name)
			}
		}
	}
}
