package explore

import (
	"strings"

	"arpent/api/coverage"
)

// staticMap is the country as a picture, which stands in for the map until it is used: the map is much to
// load and to draw for a visitor who only searches or reads.
type staticMap struct {
	viewBox      string
	land, loaded string // the paths of the départements without parcels, and of those with some
}

// newStaticMap draws the country; nil: there are no outlines yet.
func newStaticMap(held *coverage.Served) *staticMap {
	if held == nil || held.Map == nil {
		return nil
	}
	var land, loaded strings.Builder
	for _, path := range held.Map.Paths {
		to := &land
		if d := held.Find(path.Code); d != nil && !d.Data[coverage.Parcels].None() {
			to = &loaded
		}
		to.WriteString(path.D)
	}
	return &staticMap{held.Map.ViewBox, land.String(), loaded.String()}
}
