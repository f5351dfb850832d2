package topic_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest"
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

// byHand is what the sources fill that have no official address and no file in the box. Nothing else fills
// it: a member of the contract would have no source without them.
var byHand = map[string]string{
	"reperes-crues":             "floodMarkers",
	"massifs":                   "the massif of geography, in the report",
	"travel-times":              "travelTime",
	"water-network-populations": "served of the networks of waterQuality",
	"commune-geography":         "geography of communes",
	"ortho-1950":                "the images of 1950 of old",
	"air-ozone":                 "ozone of airQuality",
	"pest-reports":              "nuisibles",
}

// A source is declared while its official address is known or the box has its file. Others are extracts that
// somebody happened to have: they are no sources, unless a member of the contract has no other one.
func TestSourcesAreOfficialOrInTheBox(t *testing.T) {
	t.Parallel()
	box, err := ingest.New(ingest.Options{Catalogue: topic.Sources(), Box: testkit.Box(t), DataDir: t.TempDir(),
		StateDir: t.TempDir()}).InBox()
	if err != nil || len(box) < 50 {
		t.Fatalf("the box has files of %d sources: %v", len(box), err)
	}
	var given []string
	for _, s := range topic.Sources() {
		if _, has := box[s.Name]; !has && !s.IsFetched() {
			given = append(given, s.Name)
		}
	}
	slices.Sort(given)
	if want := slices.Sorted(maps.Keys(byHand)); !slices.Equal(given, want) {
		t.Errorf("without an address and a file in the box are %v; expected %v", given, want)
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
	if _, is := source.Rhythms[o.Rhythm]; !is {
		t.Errorf("%s: rhythm %q is none of those that the list of sources knows", s.Name, o.Rhythm)
	}
	if _, err := time.Parse("2006-01", o.ReadOn); o.ReadOn != "" && err != nil {
		t.Errorf("%s: read on %q; expected a month", s.Name, o.ReadOn)
	}
	if o.From.String() == "" {
		t.Errorf("%s: an origin does not say where it looks", s.Name)
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
