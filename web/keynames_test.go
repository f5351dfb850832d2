package web_test

import (
	"testing"

	"arpent/web"
)

// The position of an address on the border of its parcel is said in words, not as 0 m.
func TestAddressMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		match     string
		distanceM int
		want      string
	}{
		{"inside", 0, "on the parcel"},
		{"nearest", 1, "at the edge of the parcel"},
		{"nearest", 12, "12\u00a0m from the parcel, the nearest to it"},
		{"near", 12, "an address nearby, 12\u00a0m away"},
	} {
		if got := web.AddressMatch(web.English, c.match, c.distanceM); got != c.want {
			t.Errorf("%s at %d m reads %q, want %q", c.match, c.distanceM, got, c.want)
		}
	}
}
