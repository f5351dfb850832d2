package bench

import (
	"strings"
	"testing"
)

// A peer joins the one comparison that it names, and one that could not be asked for
// what that one asks is refused with a reason.
func TestPeers(t *testing.T) {
	t.Parallel()
	const at = "http://127.0.0.1:9000"
	for text, want := range map[string]peer{
		"parcel by reference: other 6 " + at + "/items/{idu}.json":           {"parcel by reference", "other", 6, at, "/items/{idu}.json"},
		"parcel by point: other 12 " + at + "/?bbox={lon},{lat},{lon},{lat}": {"parcel by point", "other", 12, at, "/?bbox={lon},{lat},{lon},{lat}"},
		"territory by code: other 0.5 " + at + "/{code}":                     {"territory by code", "other", 0.5, at, "/{code}"},
	} {
		if got, fault := readPeer(text); got != want {
			t.Errorf("%s: %+v (%s), want %+v", text, got, fault, want)
		}
	}
	for text, want := range map[string]string{
		"": "another form", "other 6 " + at + "/{code}": "another form", "parcel by point: other " + at + "/{lat}/{lon}": "another form",
		"parcel by name: other 6 " + at + "/{idu}":              `no comparison "parcel by name"`,
		"parcel by point: other x " + at + "/{lat}/{lon}":       `the bar "x"`,
		"parcel by point: other NaN " + at + "/{lat}/{lon}":     `the bar "NaN"`,
		"parcel by point: other 6 127.0.0.1:9000/{lat}/{lon}":   "no address",
		"parcel by point: other 6 " + at + "/{idu}":             "has {idu} to fill in, where parcel by point has {lat} and {lon}",
		"parcel by reference: other 6 " + at + "/":              "has nothing to fill in, where parcel by reference has {idu}",
		"territory by code: other 6 " + at + "/{code}?at={lat}": "has {code} and {lat} to fill in, where territory by code has {code}",
	} {
		_, err := options{peers: []string{text}}.readPeers()
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `expected "COMPARISON: NAME BAR ADDRESS"`) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
