package report_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"arpent/internal/opendata/report"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/topic"
)

// distances are the radii that the documentation of a key names.
var distances = regexp.MustCompile(`(?:[Ww]ithin|or) ([0-9][0-9 ]*) (m|km)\b`)

// documentedRadius is the widest of them, in metres.
func documentedRadius(t *testing.T, doc string) (metres int) {
	t.Helper()
	doc, _, _ = strings.Cut(doc, "Null within") // a sentence on what is loaded
	for _, found := range distances.FindAllStringSubmatch(doc, -1) {
		n, err := strconv.Atoi(strings.ReplaceAll(found[1], " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		if found[2] == "km" {
			n *= 1000
		}
		metres = max(metres, n)
	}
	return metres
}

// hasDistance reports whether a value of a type, or of its items, says how far away it is.
func hasDistance(of reflect.Type) bool {
	if of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	return of.Kind() == reflect.Struct && slices.ContainsFunc(reflect.VisibleFields(of),
		func(f reflect.StructField) bool { return strings.HasPrefix(f.Tag.Get("json"), "distanceM") })
}

// A customer who reads that nothing was found reads within which distance it was looked for: every key that is
// looked for around the parcel says so, whether it has a value or none, and no other key does.
func TestStatesGiveTheRadius(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	keys := topic.Report().Keys()
	covered := map[string]bool{}
	for _, k := range keys {
		for _, layer := range slices.Concat(k.Layers, k.Complete) {
			if !covered[layer] {
				covered[layer] = true
				b.cover(layer, "")
			}
		}
	}
	answer, err := b.store.Report(t.Context(), b.here)
	if err != nil {
		t.Fatal(err)
	}
	around := 0
	for i, k := range keys {
		want, got := documentedRadius(t, k.Doc), answer.States[i]
		if want > 0 {
			around++
		}
		if k.RadiusM != want {
			t.Errorf("%s has a radius of %d m, its documentation names %d", k.Name, k.RadiusM, want)
		}
		// Of banAddresses the producer says that they are of the parcel.
		if hasDistance(reflect.TypeOf(k.Value)) && want == 0 && k.Name != "banAddresses" {
			t.Errorf("%s gives a distance, and its documentation no radius: %s", k.Name, k.Doc)
		}
		switch got.State {
		case state.None, state.Value:
			if got.RadiusM != want {
				t.Errorf("%s: %+v, want a radius of %d m", k.Name, got, want)
			}
		default:
			if got.RadiusM != 0 {
				t.Errorf("%s: %+v, and nothing was looked for", k.Name, got)
			}
			t.Logf("%s: %s", k.Name, got.State)
		}
	}
	if around < 25 {
		t.Errorf("%d keys are looked for around the parcel", around)
	}
	i := slices.IndexFunc(keys, func(k report.Key) bool { return k.Name == "roadTraffic" })
	text, err := json.Marshal(answer.States[i])
	if err != nil {
		t.Fatal(err)
	}
	if got := string(text); got != `{"state":"none","reason":"It was looked for here: nothing applies.","radiusM":500}` {
		t.Errorf("roadTraffic: %s", got)
	}
}
