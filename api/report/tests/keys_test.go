package report_test

import (
	"math"
	"slices"
	"testing"
	"testing/fstest"

	"arpent/api/report"
	"arpent/api/topic"
)

// A customer finds every key of the contract, once, in its order, with its meaning.
func TestKeysAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	var names []string
	for _, k := range topic.Report().Keys() {
		names = append(names, k.Name)
		if k.Doc == "" || k.Value == nil || len(k.Layers) == 0 || k.Group == "" {
			t.Errorf("%s lacks something", k.Name)
		}
	}
	if !slices.Equal(names, contract) {
		t.Errorf("the keys are %q, expected %q", names, contract)
	}
}

// contract is the order in which the contract lists the keys.
var contract = []string{
	"address", "banAddresses",
	"dvf", "dvfNearby", "dvfEstimate", "dpe",
	"catnat", "communeRisks", "riskPlans", "tris", "floodMarkers", "rga", "radon", "seisme", "icpe", "pollutedSites",
	"bdcaviteNearby", "bdmvtNearby",
	"qpv", "gpu", "gpuPrescriptions", "sup", "aerodromeServitude",
	"rpg", "rpgBio", "aoc", "clc", "bdforet", "zonesVegetation", "soilPh", "protectedAreas", "coursEau", "planEau",
	"nearestRiverWater", "waterQuality",
	"monuments", "sirene", "sireneTotal",
	"roadTraffic", "travelTime", "fibre", "nearestIrve", "nearestMobile", "nearestGare", "nearestGareTgv", "nearestAirport",
	"schools", "nearestHospital", "nearestMsp", "nearestPharmacy", "nearestSupermarket", "nearestHypermarket",
	"nearestConvenience", "nearestMarketplace", "nearbyServices",
	"geography", "old",
}

// Without sources every key is null: nothing is made up, and nothing looks like "looked for and not found".
func TestNothingLoaded(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	for _, k := range topic.Report().Keys() {
		if got := b.value(k.Name); got != "null" {
			t.Errorf("%s is %s", k.Name, got)
		}
	}
}

// A new key comes after those that customers know, whether or not its topic lists an order.
func TestNewKeysComeLast(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"one.sql": {Data: []byte("SELECT 1")}}
	queries := []report.Query{{File: "one.sql", Keys: []report.Key{{Name: "new"}, {Name: "b"}, {Name: "a"}}}}
	for want, order := range map[string][]string{"abnew": {"a", "b"}, "newba": nil} {
		c, err := report.NewCatalogue([]report.Topic{{Files: files, Queries: queries, Order: order}})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, k := range c.Keys() {
			got += k.Name
		}
		if got != want {
			t.Errorf("the keys are %s, expected %s", got, want)
		}
	}
}

// The figures of reports are compared with plain arithmetic on the ellipsoid, which shares nothing with the database.

// The axes of the WGS84 ellipsoid, in metres: half the longer one, and the square of its eccentricity.
const (
	halfAxis     = 6378137.0
	eccentricity = 6.69437999014e-3
)

// radii are the radii of curvature at a latitude, in metres: north to south, and east to west along the parallel.
func radii(lat float64) (meridian, parallel float64) {
	sin, cos := math.Sincos(lat * math.Pi / 180)
	w := math.Sqrt(1 - eccentricity*sin*sin)
	return halfAxis * (1 - eccentricity) / (w * w * w), halfAxis / w * cos
}

// apart is the distance of two points on the ellipsoid in metres, through the radii of curvature at their mean
// latitude: right to the millimetre within a few kilometres.
func apart(lon1, lat1, lon2, lat2 float64) float64 {
	meridian, parallel := radii((lat1 + lat2) / 2)
	return math.Hypot((lon2-lon1)*parallel, (lat2-lat1)*meridian) * math.Pi / 180
}

// boxArea is the area in square metres of a small rectangle of degrees.
func boxArea(west, south, east, north float64) float64 {
	meridian, parallel := radii((south + north) / 2)
	return (east - west) * parallel * (north - south) * meridian * math.Pi / 180 * math.Pi / 180
}

// within fails unless a figure is as near to another as tolerance.
func within(t *testing.T, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("got %g, want %g within %g", got, want, tolerance)
	}
}

// The kit's parcel has the sides that its comment gives, so that tests that speak of metres mean metres.
func TestArithmeticOfTheSquare(t *testing.T) {
	t.Parallel()
	within(t, apart(2.480, 48.900, 2.480, 48.901), 111.21, 0.05)
	within(t, apart(2.480, 48.900, 2.481, 48.900), 73.29, 0.05)
	within(t, boxArea(2.480, 48.900, 2.481, 48.901), 73.29*111.21, 5)
	within(t, apart(2.480, 48.900, 2.480, 48.900), 0, 0)
}
