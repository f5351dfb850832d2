package report_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/report"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/topic"
)

// A customer finds every key of the contract and every further one, once, in its order, with its meaning.
func TestKeysAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	var names []string
	for _, k := range topic.Report().Keys() {
		names = append(names, k.Name)
		if k.Doc == "" || strings.ContainsAny(k.Doc, "{}") || k.Value == nil || len(k.Layers) == 0 || k.Group == "" {
			t.Errorf("%s lacks something", k.Name)
		}
	}
	if !slices.Equal(names, contract) {
		t.Errorf("the keys are %q, expected %q", names, contract)
	}
}

// contract is the order in which the contract lists the keys, with those that were added since among them.
var contract = []string{
	"address", "banAddresses",
	"neighbours", "predecessors",
	"dvf", "dvfNearby", "dvfEstimate", "dpe",
	"catnat", "communeRisks", "riskPlans", "tris", "floodMarkers", "rga", "radon", "seisme", "icpe", "pollutedSites",
	"bdcaviteNearby", "bdmvtNearby",
	"qpv", "gpu", "gpuPrescriptions", "sup", "aerodromeServitude",
	"permits",
	"rpg", "rpgBio", "aoc", "clc", "bdforet", "zonesVegetation", "soilPh", "protectedAreas", "coursEau", "planEau",
	"nearestRiverWater", "waterQuality",
	"monuments", "sirene", "sireneTotal", "legalOwners",
	"buildings", "condominiums",
	"roadTraffic", "travelTime", "fibre", "nearestIrve", "nearestMobile", "nearestGare", "nearestGareTgv", "nearestAirport",
	"schools", "nearestHospital", "nearestMsp", "nearestPharmacy", "nearestSupermarket", "nearestHypermarket",
	"nearestConvenience", "nearestMarketplace", "nearbyServices",
	"geography", "old",
}

// Without sources every key is null: nothing is invented, and nothing looks like "looked for and not found".
func TestNothingLoaded(t *testing.T) {
	b := newFixture(t)
	for _, k := range topic.Report().Keys() {
		b.wants(k.Name, "null")
	}
}

// A customer reads the distance and the limit that the statement is run with; and a statement with an
// argument that is not given does not wait for the first report to fail.
func TestArguments(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"near.sql": {Data: []byte("SELECT @idu AS id WHERE @radius > 1 LIMIT @limit")}}
	key := report.Key{Name: "a", Doc: "Within {radius} m, {radius km} km, {limit} at most.", Within: "radius"}
	type row struct{ ID string }
	q := report.List[row](report.Query{File: "near.sql", Args: report.Args{"radius": 2500, "limit": 20}}, key)
	c, err := report.NewCatalogue(nil, []report.Topic{{Files: files, Queries: []report.Query{q}}})
	testkit.NoError(t, err)
	if got := c.Keys()[0].Doc; got != "Within 2 500 m, 2 km, 20 at most." {
		t.Errorf("the text is %q", got)
	}
	if got := c.Keys()[0].RadiusM; got != 2500 {
		t.Errorf("the radius is %d m", got)
	}
	all := c.Statements()
	about := report.Subject{Parcel: report.Parcel{IDU: square}}
	if s := all[len(all)-1]; s.SQL != "SELECT $1 AS id WHERE $2 > 1 LIMIT $3" || !slices.Equal(s.Args(&about), []any{square, 2500, 20}) {
		t.Errorf("%s is given %v", s.SQL, s.Args(&about))
	}
	q.Keys[0].Within = "reach"
	_, err = report.NewCatalogue(nil, []report.Topic{{Files: files, Queries: []report.Query{q}}})
	if err == nil || !strings.Contains(err.Error(), `the key a is looked for within "reach"`) {
		t.Errorf("a radius that is no argument: %v", err)
	}
	q.Keys[0].Within = ""
	q.Args = nil
	if _, err := report.NewCatalogue(nil, []report.Topic{{Files: files, Queries: []report.Query{q}}}); err == nil {
		t.Error("arguments that are not given are accepted")
	}
}

// The figures of reports are compared with plain arithmetic on the
// ellipsoid, which shares nothing with the database.

// The axes of the WGS84 ellipsoid, in metres: half the longer one, and the square of its eccentricity.
const (
	halfAxis     = 6378137.0
	eccentricity = 6.69437999014e-3
)

// radii are the radii of curvature at a latitude, in metres: north to
// south, and east to west along the parallel.
func radii(lat float64) (meridian, parallel float64) {
	sin, cos := math.Sincos(lat * math.Pi / 180)
	w := math.Sqrt(1 - eccentricity*sin*sin)
	return halfAxis * (1 - eccentricity) / (w * w * w), halfAxis / w * cos
}

// apart is the distance of two points on the ellipsoid in metres, through the radii of curvature at their
// mean latitude: right to the millimetre within a few kilometres.
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

// stateOf is the state of one key of the report of the test's parcel.
func (b *fixture) stateOf(key, departement string) state.KeyState {
	b.T.Helper()
	p := b.here
	p.Departement = departement
	r, err := b.store.Report(b.T.Context(), p)
	testkit.NoError(b.T, err)
	return r.States[slices.IndexFunc(topic.Report().Keys(), func(k report.Key) bool { return k.Name == key })]
}

// A key without a value says whether it was looked for in vain, is loaded for other places, or not at all.
func TestStates(t *testing.T) {
	b := newFixture(t)
	wants := func(key, departement string, want state.State, source string) {
		t.Helper()
		got := b.stateOf(key, departement)
		if got.State != want || got.Source != source || got.Reason == "" {
			t.Errorf("%s is %+v, want %s with the source %q", key, got, want, source)
		}
	}
	wants("icpe", square[:2], state.NotLoaded, "icpe")
	wants("dvf", square[:2], state.NotLoaded, "dvf")
	wants("dvf", "57", state.NotApplicable, "")
	wants("nearestGare", "2B", state.NotCovered, "")
	b.Exec(`INSERT INTO geo.load (source, scope, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
		VALUES ('icpe', '2A', 'test', 'test', 'test', '[]', '', 0, 0, '[]', now(), now(), true)`)
	wants("icpe", square[:2], state.NotCovered, "")
	b.cover("icpe", square[:2])
	wants("icpe", square[:2], state.None, "")
}

// checkStates fails unless each key of the drawn reports has a state that its value bears out. With -v the
// table of key by state is printed.
func checkStates(t *testing.T, drawn []drawnReport) {
	t.Helper()
	counts := map[string]map[state.State]int{}
	for _, r := range drawn {
		for i, k := range topic.Report().Keys() {
			if s := r.States[i]; contradicts(s, string(r.Values[i])) {
				t.Errorf("%s of %s: %+v with %.100q", k.Name, r.of.IDU, s, r.Values[i])
			}
			if counts[k.Name] == nil {
				counts[k.Name] = map[state.State]int{}
			}
			counts[k.Name][r.States[i].State]++
		}
	}
	var table strings.Builder
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&table, "%-20s %v\n", key, counts[key])
	}
	t.Logf("%d reports\n%s", len(drawn), table.String())
}

// contradicts reports whether a state says something else than the
// value, which is empty for null, or too little.
func contradicts(s state.KeyState, value string) bool {
	switch s.State {
	case state.Value:
		return value == "" || value == "[]" || s.Reason != "" && s.Reason != state.SurfacesOnly &&
			!strings.HasPrefix(s.Reason, state.RulesNotRead) && !strings.HasPrefix(s.Reason, state.SalesOfAPeriod) || s.Source != ""
	case state.None:
		return value != "" && value != "[]" || s.Reason == "" || s.Source != ""
	case state.NotLoaded:
		return value != "" || s.Reason == "" || s.Source == ""
	case state.NotCovered, state.NotApplicable:
		return value != "" || s.Reason == "" || s.Source != ""
	default:
		return true
	}
}
