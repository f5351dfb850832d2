package services

import (
	"slices"
	"testing"

	"arpent/internal/opendata/stats"
)

// In Corsica a list of stations that is loaded for all of France finds none and says nothing of
// there being none; on the mainland it does.
func TestStationsOfCorsicaAreNotCovered(t *testing.T) {
	lat, lon := 41.92, 8.74
	grids := map[string]*grid{"railway_station": newGrid([]*site{{id: "1", from: &stats.Load{}, lat: lat, lon: lon}})}
	speaks := coverageSet{{"railway_station", ""}: true}
	for departement, want := range map[string]bool{"2A": true, "2B": true, "83": false} {
		of := findNearestServices(&stats.Territory{Level: stats.Commune, Lat: &lat, Lon: &lon, Parent: &stats.Territory{Code: departement}}, grids, nil, speaks)
		if _, found := of.found["station"]; found == want || slices.Contains(of.unknown, "station") != want {
			t.Errorf("%s has a station: %v; not covered are %v", departement, found, of.unknown)
		}
	}
}
