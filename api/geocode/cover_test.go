package geocode_test

import (
	"slices"
	"strings"
	"testing"

	"arpent/api/geocode"
	"arpent/api/geocode/build"
)

// A street without its town may be one of a town whose streets are not loaded: the one that is loaded scores
// below 0.8, and the hint says of which communes streets are loaded. A query with a town is answered as
// before.
func TestStreetWithoutTown(t *testing.T) {
	t.Parallel()
	_, x := boxIndex(t)
	for _, q := range []string{"12 allée des Roses", "allée des Roses", "12 allée des Roses, Seine-Saint-Denis", "allee des rozes 12"} {
		r := x.Search(geocode.Request{Query: q, Limit: 5})
		if len(r.Data) == 0 || r.Data[0].CodeInsee != "93010" || r.Data[0].Score > 0.79 || r.Data[0].Score < 0.5 ||
			!strings.Contains(textOrEmpty(r.Hint), noTown) {
			t.Errorf("%q: %v, hint %q; want Bondy at 0.79 at most, and %q", q, describeScores(r), textOrEmpty(r.Hint), noTown)
		}
	}
	for _, q := range []string{"12 allée des Roses Bondy", "12 allée des Roses 93140", "93010 allée des Roses", "allée des Roses, Bondi"} {
		r := x.Search(geocode.Request{Query: q, Limit: 5})
		if len(r.Data) == 0 || r.Data[0].CodeInsee != "93010" || (r.Data[0].Score > 0.8) == r.Data[0].Fuzzy ||
			strings.Contains(textOrEmpty(r.Hint), "No town") {
			t.Errorf("%q: %v, hint %q; want Bondy, as a town is named", q, describeScores(r), textOrEmpty(r.Hint))
		}
	}
}

// Where the streets of the country are loaded, a street that alone has its name is sure without its town. A
// commune without inhabitants has no streets even then.
func TestStreetOfWholeCountry(t *testing.T) {
	t.Parallel()
	in := readCountry(t)
	all := []build.Address{{Code: "93010", Name: "Impasse des Xylographes", Number: 1, At: geocode.Point{Lat: 48, Lon: 2}}}
	for _, c := range in.Communes {
		if c.Population > 0 {
			all = append(all, build.Address{Code: c.Code, Name: "Chemin de " + c.Name, Number: 1, At: geocode.Point{Lat: 48, Lon: 2}})
		}
	}
	search := func(addresses []build.Address) geocode.FoundPlaces {
		of := in
		of.Addresses = streamAddresses(addresses)
		return newIndex(t, of).Search(geocode.Request{Query: "1 impasse des Xylographes", Limit: 5})
	}
	if r := search(all); len(r.Data) == 0 || r.Data[0].Score <= 0.8 || r.Hint != nil {
		t.Errorf("whole country: %v, hint %q; want a sure answer", describeScores(r), textOrEmpty(r.Hint))
	}
	withoutLozere := slices.DeleteFunc(all, func(a build.Address) bool { return strings.HasPrefix(a.Code, "48") })
	if r := search(withoutLozere); len(r.Data) == 0 || r.Data[0].Score > 0.79 || r.Hint == nil {
		t.Errorf("without the smallest département: %v, hint %q; want an unsure answer", describeScores(r), textOrEmpty(r.Hint))
	}
}
