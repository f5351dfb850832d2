package contract_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"arpent/app/dev/fixture"
)

// A call that names keys gets these and no others, each with the value that it has in the whole answer, a
// number with its year, and the sources of these alone.
func testFieldsGiveTheKeysThatAreNamed(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("fields@example.org", "pro")
	for _, c := range []struct{ path, whole, member, fields string }{
		{"/communes/93010", "/communes/93010?include=stats", "stats", "population,rankings"},
		{"/communes?lat=48.95&lon=2.45", "/communes?lat=48.95&lon=2.45&include=stats", "stats", "maire"},
		{"/departements/93?include=communes", "/departements/93?include=communes,stats", "stats", "crimeRate, population"},
		{"/regions/11", "/regions/11?include=stats", "stats", "population,population"},
		{"/parcelles/930100000A0001/enrichments", "/parcelles/930100000A0001/enrichments", "enrichments", "radon,banAddresses"},
	} {
		asked := c.path + "?fields="
		if strings.Contains(c.path, "?") {
			asked = c.path + "&fields="
		}
		r := s.Get("/api/v1"+asked+strings.ReplaceAll(c.fields, " ", "%20"), "X-API-Key", key)
		part, all := members(t, r), members(t, s.Get("/api/v1"+c.whole, "X-API-Key", key))
		some, every := inner(t, part[c.member]), inner(t, all[c.member])
		want := map[string]bool{}
		for name := range strings.SplitSeq(c.fields, ",") {
			want[strings.TrimSpace(name)] = true
		}
		if c.member == "stats" {
			want["sources"] = true
		}
		given := maps.Clone(want)
		for name := range want {
			if _, dated := every[name+"Year"]; dated {
				given[name+"Year"] = true
			}
		}
		if got := slices.Sorted(maps.Keys(some)); !slices.Equal(got, slices.Sorted(maps.Keys(given))) {
			t.Errorf("%s: the keys are %v", asked, got)
		}
		for name, value := range some {
			if name != "sources" && string(value) != string(every[name]) {
				t.Errorf("%s: %s is %s, in the whole answer %s", asked, name, value, every[name])
			}
		}
		if c.member == "stats" {
			for name := range inner(t, some["sources"]) {
				if !want[name] {
					t.Errorf("%s: it has the source of %s", asked, name)
				}
			}
		}
		for name, one := range inner(t, part["states"]) {
			if delete(want, "sources"); !want[name] || string(one) != string(inner(t, all["states"])[name]) {
				t.Errorf("%s: the state of %s is %s", asked, name, one)
			}
		}
		if n := len(inner(t, part["states"])); n != len(want) {
			t.Errorf("%s: %d states of %d keys", asked, n, len(want))
		}
		for name, value := range all {
			byKey := name == c.member || name == "sources" || name == "states" || name == "lists" || name == "parcels"
			if !byKey && string(part[name]) != string(value) {
				t.Errorf("%s: %s is %s, in the whole answer %s", asked, name, part[name], value)
			}
		}
		if c.member == "stats" {
			testFieldsTag(t, s, key, c.whole, r.Header.Get("ETag"))
		} else if tag := r.Header.Get("ETag"); tag != "" {
			t.Errorf("%s: a report has the tag %q", asked, tag)
		}
	}
}

// An answer of chosen keys has a tag of its own: a client that has kept it is given the whole one.
func testFieldsTag(t *testing.T, s *fixture.Service, key, whole, tag string) {
	t.Helper()
	if r := s.Get("/api/v1"+whole, "X-API-Key", key, "If-None-Match", tag); tag == "" || r.Status != http.StatusOK {
		t.Errorf("%s: status %d for who has kept the answer of some keys, with the tag %q", whole, r.Status, tag)
	}
}

// A key that there is not is a mistake of the caller, who reads which there are.
func testFieldsThatThereAreNot(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("nofields@example.org", "pro")
	for path, want := range map[string]string{
		"/communes/93010?fields=securit%C3%A9":                    `; securite may be meant; `,
		"/communes/93010?fields=dvf":                              `; prices may be meant; `,
		"/communes/93010?fields=population,popula":                `fields names \"popula\"; population may be meant; expected a comma-separated list of keys of stats: finances, revenus, population,`,
		"/communes/93010?fields=":                                 `fields names \"\"; expected`,
		"/communes/93010?fields=sources":                          `fields names \"sources\"; expected`,
		"/communes/93010?fields=sirene":                           `; that is known of parcels: /parcelles/{idu}/enrichments (tool get_parcel_enrichments) has sirene; expected`,
		"/communes/93010?fields=maire&fields=maire":               `fields is given more than once`,
		"/regions/11?fields=maire":                                `fields names \"maire\"; /communes/{code} (tool get_commune) has maire, which is no key of this level; expected`,
		"/parcelles/930100000A0001/enrichments?fields=ventes":     `fields names \"ventes\"; dvf or dvfNearby may be meant; expected`,
		"/parcelles/930100000A0001/enrichments?fields=Radon":      `; radon may be meant; `,
		"/parcelles/930100000A0001/enrichments?fields=%C3%A9cole": `; schools may be meant; `,
		"/parcelles/930100000A0001/enrichments?fields=DPU":        `fields names \"DPU\", which is not part of what is loaded: The right of pre-emption (DPU) is decided by the commune`,
		"/communes/93010?fields=loyers":                           `fields names \"loyers\", which is not part of what is loaded: No source of rents is read.`,
		"/parcelles/930100000A0001/enrichments?fields=population": `expected a comma-separated list of keys of enrichments: address, banAddresses,`,
	} {
		if r := s.Get("/api/v1"+path, "X-API-Key", key); r.Status != http.StatusBadRequest || !strings.Contains(string(r.Body), want) {
			t.Errorf("%s: %d %s", path, r.Status, r.Body)
		}
	}
}

func members(t *testing.T, r fixture.Response) map[string]json.RawMessage {
	t.Helper()
	if r.Status != http.StatusOK {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	return inner(t, r.Body)
}

func inner(t *testing.T, object []byte) (of map[string]json.RawMessage) {
	t.Helper()
	if err := json.Unmarshal(object, &of); err != nil {
		t.Fatalf("%.200s: %v", object, err)
	}
	return of
}

// The statistics of a commune come with the number of its parcels and of their sections, and their edition;
// those of a city with the sum of its arrondissements, once all are loaded. Nowhere is a part taken for all.
func TestCommunesCountTheirParcels(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t, `INSERT INTO geo.parcelle (idu, contenance, feuille, geom) VALUES
		('930080000A0001', 1, 1, ST_Multi(ST_MakeEnvelope(2.45, 48.94, 2.4501, 48.9401, 4326))),
		('75101000AB0001', 1, 1, ST_Multi(ST_MakeEnvelope(2.36, 48.84, 2.3601, 48.8401, 4326))),
		('930100000B0001', 1, 1, ST_Multi(ST_MakeEnvelope(2.55, 48.95, 2.5501, 48.9501, 4326)));
		INSERT INTO geo.parcelle_commune (code, complete, load_id)
		SELECT c, c = '75101', max(id) FROM geo.load, (VALUES ('93008'), ('75101')) v (c) GROUP BY c`)
	key := s.Account("counted@example.org", "pro")
	const (
		ofBondy = `"bySection":[{"section":"A","parcels":2},{"section":"B","parcels":1}],"largest":[` +
			`{"idu":"930100000A0001","contenance":700,"contenanceDiffers":true,"outlineAreaM2":8151.9},` +
			`{"idu":"930100000A0002","contenance":null,"outlineAreaM2":8151.9},` +
			`{"idu":"930100000B0001","contenance":1,"contenanceDiffers":true,"outlineAreaM2":81.5}]`
		ofParis = `"bySection":[{"section":"75101 AB","parcels":1},{"section":"75118 AB","parcels":1}],"largest":[` +
			`{"idu":"75118000AB0003","contenance":12,"contenanceDiffers":true,"outlineAreaM2":8168},` +
			`{"idu":"75101000AB0001","contenance":1,"contenanceDiffers":true,"outlineAreaM2":81.6}]`
	)
	for path, want := range map[string]string{
		"/communes/93010?include=stats":                       `{"total":3,"sections":2,"vintage":"2025-01-01","state":"value"}`,
		"/communes/93010?fields=population,parcels":           `{"total":3,"sections":2,"vintage":"2025-01-01","state":"value",` + ofBondy + `}`,
		"/communes/93010?fields=parcels.total":                `{"total":3,"vintage":"2025-01-01","state":"value"}`,
		"/communes/93010?fields=parcels.bySection,population": `{"vintage":"2025-01-01","state":"value","bySection":[{"section":"A","parcels":2},{"section":"B","parcels":1}]}`,
		"/communes/93008?fields=parcels.sections":             `{"sections":null,"vintage":null,"state":"not_covered","reason":"Only a part of its parcels is loaded."}`,
		"/communes?lat=48.91&lon=2.51&include=stats":          `{"total":3,"sections":2,"vintage":"2025-01-01","state":"value"}`,
		"/communes/93008?fields=parcels":                      `{"total":null,"sections":null,"vintage":null,"state":"not_covered","reason":"Only a part of its parcels is loaded."}`,
		"/communes/75056?fields=parcels":                      `{"total":2,"sections":2,"vintage":"2025-01-01","state":"value",` + ofParis + `}`,
		"/communes/2A004?fields=parcels":                      `{"total":null,"sections":null,"vintage":null,"state":"not_covered","reason":"Parcels are loaded of other communes only."}`,
		"/communes/93010?fields=population":                   "",
		"/communes?lat=48.91&lon=2.51":                        "",
		"/communes?lat=48.91&lon=2.51&fields=maire":           "",
		"/communes/93010":                                     "",
	} {
		r := s.Get("/api/v1"+path, "X-API-Key", key)
		if got := string(members(t, r)["parcels"]); r.Status != http.StatusOK || got != want {
			t.Errorf("%s: %d, parcels %s, want %s", path, r.Status, got, want)
		}
	}
	r := s.Get("/api/v1/communes/93010?fields=population,parcels.size", "X-API-Key", key)
	if text := string(r.Body); r.Status != http.StatusBadRequest || !strings.Contains(text, "it has total, sections, bySection, largest, vintage") {
		t.Errorf("%d %s", r.Status, text)
	}
}
