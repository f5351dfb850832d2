package report_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"arpent/app/dev/reportkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/report"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/topic"
)

// onTheSpot puts a row of each layer on the test's parcel, by layer of coverage: what a report
// would give if it were loaded for the place.
var onTheSpot = []struct{ layer, table, key, attrs string }{
	{"road_traffic", "road_traffic", "roadTraffic", `{"road":"A3","aadt":98000}`},
	{"charge_point", "charge_point", "nearestIrve", `{"points":1}`},
	{"mobile_mast", "mobile_mast", "nearestMobile", `{"operator":"ORANGE","generation":"4G"}`},
	{"railway_station", "railway_station", "nearestGare", `{"name":"Gare","uic":"87000001","codes":["87000001"]}`},
	{"airport", "airport", "nearestAirport", `{"name":"Aéroport"}`},
	{"school", "school", "schools", `{"name":"Ecole","level":"ecole"}`},
	{"hospital", "health", "nearestHospital", `{"name":"CH","category":"355"}`},
	{"hospital_extract", "hospital_extract", "nearestHospital", `{"name":"CH","category":"355"}`},
	{"msp", "health", "nearestMsp", `{"name":"MSP","category":"603"}`},
	{"pharmacy", "health", "nearestPharmacy", `{"name":"Pharmacie","category":"620"}`},
	{"facility", "facility", "nearestSupermarket", `{"type":"B105"}`},
	{"facility", "facility", "nearestHypermarket", `{"type":"B104"}`},
	{"facility", "facility", "nearestConvenience", `{"type":"B201"}`},
	{"facility", "facility", "nearbyServices", `{"type":"B201"}`},
	{"marketplace", "marketplace", "nearestMarketplace", `{}`},
	{"monument", "monument", "monuments", `{"approximate":false}`},
	{"watercourse", "watercourse", "coursEau", `{}`},
	{"water_body", "water_body", "planEau", `{}`},
	{"river_station", "river_station", "nearestRiverWater", `{}`},
	{"coast", "coast", "geography", `{}`},
	{"mountain", "mountain", "geography", `{"massif":"Collines"}`},
}

// What another département has loaded says nothing of this one: null, whatever happens to lie there;
// and once it is loaded here, it is returned.
func TestWhatIsNotLoadedHereIsNull(t *testing.T) {
	b := newFixture(t)
	for _, c := range onTheSpot {
		b.Exec(fmt.Sprintf(`INSERT INTO geo.enrich_%s (part, id, attrs, geom)
			VALUES ('test', '1', $1::jsonb, ST_MakeEnvelope(2.4802, 48.9002, 2.4804, 48.9004, 4326))`, c.table), c.attrs)
		b.cover(c.layer, "34")
		b.wants(c.key, "null")
		b.cover(c.layer, "93")
		if got := b.value(c.key); got == "null" || got == "[]" {
			t.Errorf("of %s %s is %s", c.layer, c.key, got)
		}
		b.clear(c.table)
	}
}

// clear removes everything again.
func (b *fixture) clear(table string) {
	b.T.Helper()
	b.Exec("DELETE FROM geo.load; DELETE FROM geo.enrich_" + table)
}

// A list of high-speed stations says nothing where no list of stations says where they are.
func TestHighSpeedStationsAlone(t *testing.T) {
	b := newFixture(t)
	b.Exec(`INSERT INTO geo.enrich_railway_station (part, id, attrs, geom)
		VALUES ('test', '87000001', '{"name":"Gare","uic":"87000001","codes":["87000001"]}', ST_SetSRID(ST_MakePoint(2.4805, 48.9005), 4326))`)
	b.Exec(`INSERT INTO geo.enrich_high_speed_station (part, id, attrs) VALUES ('test', '87000001', '{}')`)
	b.wants("nearestGareTgv", "null")
	b.cover("high_speed_station", "")
	b.wants("nearestGareTgv", "null")
	b.cover("railway_station", "93")
	b.wants("nearestGareTgv", `{"name":"Gare","uic":"87000001","distanceM":0}`)
}

// Times of travel that are loaded for a département and lack a commune are not known.
func TestTravelTimeOfAnotherCommune(t *testing.T) {
	b := newFixture(t)
	b.Exec(`INSERT INTO geo.enrich_travel_time (part, id, commune, attrs) VALUES ('test', '91001', '91001', '{"parisRoadMin":60}')`)
	b.cover("travel_time", "93")
	b.wants("travelTime", "null")
}

// Beyond the limits that the documentation states, nothing is near; within them, it is.
func TestLimitsOfTheNearest(t *testing.T) {
	const degree = 73_290.0 // metres, on the parallel of the test's parcel
	b := newFixture(t)
	for _, c := range onTheSpot {
		limit := map[string]float64{
			"roadTraffic": 500, "nearestIrve": 20_000, "nearestMobile": 20_000, "nearestGare": 50_000, "nearestAirport": 200_000, "schools": 2000,
			"nearestHospital": 100_000, "nearestMsp": 50_000, "nearestPharmacy": 50_000, "nearestSupermarket": 50_000, "nearestHypermarket": 50_000,
			"nearestConvenience": 50_000, "nearestMarketplace": 50_000, "monuments": 500, "coursEau": 5000, "planEau": 5000, "nearestRiverWater": 20_000,
		}[c.key]
		if limit == 0 {
			continue
		}
		b.cover(c.layer, "")
		b.Exec(fmt.Sprintf(`INSERT INTO geo.enrich_%s (part, id, attrs, geom)
			VALUES ('test', '1', $1::jsonb, ST_SetSRID(ST_MakePoint(2.481 + $2::float8, 48.9005), 4326))`, c.table), c.attrs, limit*0.995/degree)
		if got := b.value(c.key); got == "null" || got == "[]" {
			t.Errorf("within %g m %s of %s is %s", limit, c.key, c.layer, got)
		}
		b.Exec(fmt.Sprintf(`UPDATE geo.enrich_%s SET geom = ST_SetSRID(ST_MakePoint(2.481 + $1::float8, 48.9005), 4326)`, c.table), limit*1.005/degree)
		if got := b.value(c.key); got != "null" && got != "[]" {
			t.Errorf("beyond %g m %s of %s is %s", limit, c.key, c.layer, got)
		}
		b.clear(c.table)
	}
}

// Near the edge of an extract nothing is called absent, complete or nearest that may be
// otherwise beyond: else a buyer reads that no polluted site is near where the file simply ends.
// The parcel is 660 m from the next commune.
func TestBeyondTheEdgeOfAnExtractNothingIsKnown(t *testing.T) {
	t.Parallel()
	const far, near = 2.500, 2.483 // some 1 390 m and 150 m from the parcel
	for _, tc := range []struct {
		layer, table, key, attrs string
		lon                      float64 // 0: nothing
		area                     string
		want                     state.State
	}{
		{"icpe", "icpe", "icpe", `{}`, 0, "93010", state.NotCovered},                      // a radius of 1 000 m
		{"icpe", "icpe", "icpe", `{}`, near, "93010", state.NotCovered},                   // a list that lacks what lies beyond
		{"icpe", "icpe", "icpe", `{}`, 0, "93", state.None},                               // the département goes on
		{"icpe", "icpe", "icpe", `{}`, 0, "", state.None},                                 // and so does France
		{"polluted_site", "polluted_site", "pollutedSites", `{}`, 0, "93010", state.None}, // a radius of 500 m
		{"mobile_mast", "mobile_mast", "nearestMobile", `{"operator":"ORANGE","generation":"4G"}`, near, "93010", state.Value},
		{"mobile_mast", "mobile_mast", "nearestMobile", `{"operator":"ORANGE","generation":"4G"}`, far, "93010", state.NotCovered},
		{"mobile_mast", "mobile_mast", "nearestMobile", `{"operator":"ORANGE","generation":"4G"}`, 0, "93010", state.NotCovered},
		{"facility", "facility", "nearbyServices", `{"type":"B201"}`, near, "93010", state.NotCovered},
		{"mobile_mast", "mobile_mast", "nearestMobile", `{"operator":"ORANGE","generation":"4G"}`, 0, "93", state.NotCovered}, // the next département
	} {
		t.Run(fmt.Sprint(tc.key, " ", tc.area, " ", tc.lon), func(t *testing.T) {
			b := newFixture(t)
			b.Exec(`INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes) VALUES
				('commune-actuelle', '93001', 'Aubervilliers', '93', '11', '93001', '{}')`)
			b.outline("93010", extent{2.47, 48.89, 2.49, 48.91})
			b.outline("93001", extent{2.49, 48.89, 2.60, 48.91})
			b.Exec(`INSERT INTO geo.departement_contour (code, geom, area_km2) VALUES
				('93', ST_Multi(ST_MakeEnvelope(2.47, 48.89, 2.60, 48.91, 4326)), 1), ('75', ST_Multi(ST_MakeEnvelope(2.60, 48.89, 2.70, 48.91, 4326)), 1)`)
			b.cover(tc.layer, tc.area)
			if tc.lon != 0 {
				b.Exec(fmt.Sprintf(`INSERT INTO geo.enrich_%s (part, id, attrs, geom)
					VALUES ('test', '1', $1::jsonb, ST_SetSRID(ST_MakePoint($2::float8, 48.9005), 4326))`, tc.table), tc.attrs, tc.lon)
			}
			if got := b.stateOf(tc.key, "93").State; got != tc.want {
				t.Errorf("%s is %s; want %s", tc.key, got, tc.want)
			}
			if got := b.value(tc.key); tc.want == state.NotCovered && got != "null" {
				t.Errorf("%s is %s in state %s", tc.key, got, tc.want)
			}
		})
	}
}

// What is loaded of a value near the edge is given next to the null, with how far all is loaded: else a buyer
// who lives 600 m from the next commune does not see the polluted site next door. Nothing of it is called
// all. The parcel is 660 m from the next commune.
func TestKnownPartNearTheEdgeIsGiven(t *testing.T) {
	b := newFixture(t)
	b.Exec(`INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes) VALUES
		('commune-actuelle', '93001', 'Aubervilliers', '93', '11', '93001', '{}')`)
	b.outline("93010", extent{2.47, 48.89, 2.49, 48.91})
	b.outline("93001", extent{2.49, 48.89, 2.60, 48.91})
	b.Exec(`INSERT INTO geo.departement_contour (code, geom, area_km2) VALUES ('93', ST_Multi(ST_MakeEnvelope(2.47, 48.89, 2.60, 48.91, 4326)), 1)`)
	for _, layer := range []string{"icpe", "mobile_mast", "facility", "polluted_site"} {
		b.cover(layer, "93010")
	}
	known := func(key string) string {
		t.Helper()
		s := b.stateOf(key, "93")
		if s.Known == nil {
			return ""
		}
		if s.State != state.NotCovered || !strings.HasSuffix(s.Reason, state.BeyondEdge+state.GivenAsKnown) {
			t.Errorf("%s: %+v", key, s)
		}
		text, err := json.Marshal(s.Known)
		testkit.NoError(t, err)
		return string(text)
	}
	if got, want := known("icpe"), `{"value":[],"atLeast":0,"completeWithinM":658}`; got != want {
		t.Errorf("of an empty list %s is known; want %s", got, want)
	}
	if got, want := known("nearestMobile"), `{"value":null,"completeWithinM":658}`; got != want {
		t.Errorf("without a mast %s is known; want %s", got, want)
	}
	b.Exec(`INSERT INTO geo.enrich_icpe (part, id, attrs, geom) SELECT 'test', n::text, '{}', ST_SetSRID(ST_MakePoint(2.481 + 0.001 * n, 48.9005), 4326)
			FROM generate_series(1, 7) n;
		INSERT INTO geo.enrich_mobile_mast (part, id, attrs, geom)
			VALUES ('test', '1', '{"operator":"ORANGE","generation":"4G"}', ST_SetSRID(ST_MakePoint(2.500, 48.9005), 4326));
		INSERT INTO geo.enrich_facility (part, id, attrs, geom)
			VALUES ('test', '1', '{"type":"B201"}', ST_SetSRID(ST_MakePoint(2.482, 48.9005), 4326))`)
	for key, want := range map[string]string{
		"icpe":          `"distanceM":367}],"atLeast":7,"completeWithinM":658}`, // five of seven
		"nearestMobile": `"distanceM":1393},"completeWithinM":658}`,
		"nearbyServices": `{"value":{"radiusM":1000,"counts":{"services":0,"shops":1,"education":0,"health":0,"transport":0,"sports":0,"tourism":0},` +
			`"total":1},"completeWithinM":658}`,
		"pollutedSites": "", // its radius ends before the edge
	} {
		if got := known(key); !strings.HasSuffix(got, want) || want == "" && got != "" {
			t.Errorf("of %s is known %s; want %s", key, got, want)
		}
		if got := b.value(key); want != "" && got != "null" {
			t.Errorf("%s is %s", key, got)
		}
	}
	p := b.here
	p.Departement, p.Keys = "93", []string{"icpe"}
	if _, of := reportkit.ReadKey(t, b.store, p, "icpe"); of.Known == nil || strings.Count(string(of.Known.Value), `"distanceM"`) != 7 {
		t.Errorf("of a key that is named alone %+v is known; want all seven", of.Known)
	}
}

// distances are the radii that the documentation of a key names.
var distances = regexp.MustCompile(`(?:[Ww]ithin|or) ([0-9][0-9 ]*) (m|km)\b`)

// documentedRadius is the widest of them, in metres.
func documentedRadius(t *testing.T, doc string) (metres int) {
	t.Helper()
	doc, _, _ = strings.Cut(doc, "Null within") // a sentence on what is loaded
	for _, found := range distances.FindAllStringSubmatch(doc, -1) {
		n, err := strconv.Atoi(strings.ReplaceAll(found[1], " ", ""))
		testkit.NoError(t, err)
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

// A customer who reads that nothing was found reads within which distance it was looked for: every key that
// is looked for around the parcel gives its radius, whether it has a value or none, and no other key does.
func TestStatesGiveTheRadius(t *testing.T) {
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
	testkit.NoError(t, err)
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
	testkit.NoError(t, err)
	if got := string(text); got != `{"state":"none","reason":"Of those that are loaded none lies within 500 m.","radiusM":500}` {
		t.Errorf("roadTraffic: %s", got)
	}
}
