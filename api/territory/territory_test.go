package territory_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"arpent/api/reply"
	"github.com/tidwall/gjson"

	"arpent/api/territory"
	"arpent/app/dev/testkit"
	"arpent/internal/fault"
	"arpent/internal/opendata/geom"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic"
)

// figures are the statistics of every territory.
type figures string

func (f figures) Of(stats.Level, string) stats.Body { return stats.NewBody([]byte(f)) }

const someFigures = figures(`{"population":{"density":3.5}}`)

var outlineOnly = territory.Include{Members: geom.Members{Geometry: true}}

var boxed = territory.Include{Members: geom.Members{Centre: true, Bbox: true}}

var everything = territory.Include{Members: geom.Members{Geometry: true}, Stats: someFigures, Departements: true, Communes: true}

// Names, order and form of every member are promised to clients.
func TestBodies(t *testing.T) {
	t.Parallel()
	s, _ := loadFixture(t)
	type answer struct {
		body reply.Reply
		err  error
	}
	get := func(body reply.Reply, err error) answer { return answer{body, err} }
	plain := territory.Include{}
	for name, a := range map[string]answer{
		"regions.json":               get(s.Regions(plain)),
		"region_11.json":             get(s.Region("11", plain)),
		"region_11_all.json":         get(s.Region("11", everything)),
		"region_04_all.json":         get(s.Region("04", everything)),
		"departements.json":          get(s.Departements("", plain)),
		"departements_11.json":       get(s.Departements("11", plain)),
		"regions_population.json":    get(s.Regions(territory.Include{Stats: figures(`{"population":12317279,"sources":{"population":{"year":2023}}}`)})),
		"departements_unknown.json":  get(s.Departements("11", territory.Include{Stats: figures(`{"population":null,"sources":{}}`)})),
		"departements_04.json":       get(s.Departements("04", plain)),
		"departement_93.json":        get(s.Departement("93", plain)),
		"departement_93_all.json":    get(s.Departement("93", everything)),
		"communes_93.json":           get(s.CommunesOf("93", "")),
		"communes_974.json":          get(s.CommunesOf("974", "")),
		"commune_93010.json":         get(s.Commune("93010", plain)),
		"commune_93010_all.json":     get(s.Commune("93010", everything)),
		"commune_93008_geo.json":     get(s.Commune("93008", outlineOnly)),
		"commune_97411_box.json":     get(s.Commune("97411", boxed)),
		"commune_93099_box.json":     get(s.Commune("93099", boxed)),
		"departement_93_box.json":    get(s.Departement("93", boxed)),
		"region_04_box.json":         get(s.Region("04", boxed)),
		"commune_2A004_all.json":     get(s.Commune("2A004", everything)),
		"commune_97411_stats.json":   get(s.Commune("97411", territory.Include{Stats: someFigures})),
		"commune_93099_without.json": get(s.Commune("93099", everything)),
	} {
		if a.err != nil {
			t.Errorf("%s: %v", name, a.err)
			continue
		}
		if !json.Valid(a.body.Body) || cap(a.body.Body) > len(a.body.Body)+len(a.body.Body)/4+64 {
			t.Errorf("%s: valid %v, %d bytes in %d", name, json.Valid(a.body.Body), len(a.body.Body), cap(a.body.Body))
		}
		testkit.Golden(t, name, append(bytes.Clone(a.body.Body), '\n'))
	}
	if s.Counts() != (territory.Counts{Regions: 3, Departements: 3, Communes: 7}) {
		t.Errorf("counts %+v", s.Counts())
	}
}

// The error for an unknown code says why it is unknown, and which code or path to use instead.
func TestMissing(t *testing.T) {
	t.Parallel()
	s, pool := loadFixture(t)
	_, err := pool.Exec(t.Context(), `UPDATE geo.commune SET postcodes = '{93140}' WHERE code IN ('93099', '93008');
		UPDATE geo.commune SET postcodes = '{93009}' WHERE code = '93010' AND type = 'commune-actuelle';
		INSERT INTO geo.region VALUES ('76', 'Occitanie')`)
	if err != nil {
		t.Fatal(err)
	}
	s2, err := territory.Load(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	for want, ask := range map[string]func() error{
		"No région has code 99": func() error { _, err := s.Region("99", everything); return err },
		"No région has code 4: it has two digits. If 04 is meant, write that.": func() error { _, err := s.Region("4", everything); return err },
		"No région has code 5.": func() error { _, err := s.Region("5", everything); return err },
		"No région has code 73 any more: it was that of Midi-Pyrénées":                 func() error { _, err := s2.Region("73", everything); return err },
		"No département has code 20 any more: it was that of Corse, which was divided": func() error { _, err := s.Departement("20", everything); return err },
		"région has code 98": func() error { _, err := s.Departements("98", territory.Include{}); return err },
		"Overseas département 974 has no answer of its own.":                                            func() error { _, err := s.Departement("974", everything); return err },
		"No département has code 99":                                                                    func() error { _, err := s.Departement("99", everything); return err },
		"975 is in Saint-Pierre-et-Miquelon, an overseas collectivity that this service does not cover": func() error { _, err := s.CommunesOf("975", ""); return err },
		"No commune has code 99999":                                                                     func() error { _, err := s.Commune("99999", everything); return err },
		"No commune has code 75000. As a postcode it means Paris (75056), whose arrondissements are 75101 to 75118.": func() error {
			_, err := s.Commune("75000", everything)
			return err
		},
		"97501 is in Saint-Pierre-et-Miquelon":                                                                                                        func() error { _, err := s.Commune("97501", everything); return err },
		"93011 (Vieux-Bondy) is no commune of its own any more; it is part of commune 93010 (Bondy)":                                                  func() error { _, err := s.Commune("93011", everything); return err },
		"93009 is no commune of its own any more; it is part of commune 93008 (Bobigny)":                                                              func() error { _, err := s.Commune("93009", everything); return err },
		"93140 is a postcode, not a commune code: it serves Bobigny (93008), Sans-Contour (93099).":                                                   func() error { _, err := s2.Commune("93140", everything); return err },
		"93009 is a postcode, not a commune code: it serves Bondy (93010). (It was the code of a commune too, which is part of Bobigny (93008) now.)": func() error { _, err := s2.Commune("93009", everything); return err },
		"abroad or at sea. The nearest commune is Bondy (93010), about 167 km away.":                                                                  func() error { _, err := s.CommuneAt(-1.5, 0, everything); return err },
		"The nearest commune is Ajaccio (2A004), 11 m away.":                                                                                          func() error { _, err := s.CommuneAt(41.4999, 8.6, everything); return err },
		"it lies abroad or at sea, more than 1 000 km from the nearest commune.":                                                                      func() error { _, err := s.CommuneAt(52, -40, everything); return err },
		"more than 1 000 km from the nearest commune. With lat and lon swapped it would lie in Ajaccio (2A004).":                                      func() error { _, err := s.CommuneAt(8.6, 41.55, everything); return err },
		"lat -22.27, lon 166.44: it lies in or near Nouvelle-Calédonie, an overseas collectivity that this service does not cover.":                   func() error { _, err := s.CommuneAt(-22.27, 166.44, everything); return err },
		"in or near Saint-Pierre-et-Miquelon":                                                                                                         func() error { _, err := s.CommuneAt(46.78, -56.18, everything); return err },
		"in or near Polynésie française":                                                                                                              func() error { _, err := s.CommuneAt(-17.54, -149.57, everything); return err },
		"in or near Saint-Martin":                                                                                                                     func() error { _, err := s.CommuneAt(18.07, -63.08, everything); return err },
		"No commune contains the point lat -1.5, lon 0":                                                                                               func() error { _, err := s.CommuneAt(-1.5, 0, everything); return err },
	} {
		var f *fault.Error
		if err := ask(); !errors.As(err, &f) || f.Code != fault.NotFound || !strings.Contains(f.Message, want) {
			t.Errorf("got %v, want a 404 with %q", err, want)
		}
	}
}

// A point always has the same one answer; on a border, the lowest code.
func TestCommuneAt(t *testing.T) {
	t.Parallel()
	s, _ := loadFixture(t)
	for _, tc := range []struct {
		name     string
		lon, lat float64
		want     string
	}{
		{"inside", 0.5, 0.5, "93010"},
		{"in the enclave", 2, 2, "93001"},
		{"border of the enclave", 1, 2, "93001"},
		{"shared border", 4, 2, "93008"},
		{"one unit off the shared border", 3.9999999, 2, "93010"},
		{"corner of three", 4, 4, "75056"},
		{"second part", 10, 2, "93008"},
		{"diagonal edge", 9, 1, "93008"},
		{"Corsica", 8.6, 41.6, "2A004"},
		{"overseas", 55.5, -20.5, "97411"},
	} {
		r, err := s.CommuneAt(tc.lat, tc.lon, territory.Include{})
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		var got territory.Commune
		if err := json.Unmarshal(r.Body, &got); err != nil || got.CodeInsee != tc.want {
			t.Errorf("%s: commune %s (%v), want %s", tc.name, got.CodeInsee, err, tc.want)
		}
	}
}

// The commune found in memory is the one that PostGIS finds, on every half-degree point, borders included.
func TestCommuneAtAgreesWithPostGIS(t *testing.T) {
	t.Parallel()
	s, pool := loadFixture(t)
	rows, err := pool.Query(t.Context(), `
SELECT x / 2.0::float8, y / 2.0::float8, coalesce((SELECT min(code) FROM geo.commune_contour
    WHERE ST_Covers(geom, ST_SetSRID(ST_MakePoint(x / 2.0, y / 2.0), 4326))), '')
FROM generate_series(-2, 26) x, generate_series(-2, 18) y`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	points := 0
	for rows.Next() {
		var lon, lat float64
		var want string
		if err := rows.Scan(&lon, &lat, &want); err != nil {
			t.Fatal(err)
		}
		points++
		got := ""
		if r, err := s.CommuneAt(lat, lon, territory.Include{}); err == nil {
			var c territory.Commune
			if err := json.Unmarshal(r.Body, &c); err != nil {
				t.Fatal(err)
			}
			got = c.CodeInsee
		}
		if got != want {
			t.Errorf("(%v, %v): %q, PostGIS says %q", lon, lat, got, want)
		}
	}
	if rows.Err() != nil || points != 29*21 {
		t.Fatalf("%d points, error %v", points, rows.Err())
	}
}

// A parcel gets the commune, département and arrondissement that its reference stands for.
func TestPlace(t *testing.T) {
	t.Parallel()
	s, _ := loadFixture(t)
	for code, want := range map[string]territory.Place{
		"93010": {CodeInsee: "93010", CommuneName: "Bondy", CodeDep: "93"},
		"75118": {CodeInsee: "75056", CommuneName: "Paris", CodeDep: "75", CodeArr: "118"},
		"93009": {CodeInsee: "93008", CommuneName: "Bobigny", CodeDep: "93"},
		"97411": {CodeInsee: "97411", CommuneName: "Saint-Denis", CodeDep: "974"},
	} {
		if got, ok := s.Place(code); !ok || got != want {
			t.Errorf("%s: %+v, %v; want %+v", code, got, ok, want)
		}
	}
	if got, ok := s.Place("97501"); ok {
		t.Errorf("97501 has the place %+v", got)
	}
}

// The arrondissements of a city are listed in order, one has an answer of its own that names its city, and
// one is found at a point: on a border the lowest one, and none where no outline is loaded.
func TestArrondissements(t *testing.T) {
	t.Parallel()
	s, pool := loadFixture(t)
	for commune, want := range map[string][]string{"75056": {"75101", "75118"}, "93010": nil, "75118": nil} {
		if got := s.Arrondissements(commune); !slices.Equal(got, want) {
			t.Errorf("the arrondissements of %s are %v", commune, got)
		}
	}
	if code, ok := s.ArrondissementAt(5, 1); ok {
		t.Errorf("without outlines %s is found", code)
	}
	if _, err := pool.Exec(t.Context(), `INSERT INTO geo.arrondissement_contour (code, geom, area_km2) VALUES
		('75118', 'SRID=4326;MULTIPOLYGON(((0 4,2 4,2 8,0 8,0 4)))', 1),
		('75101', 'SRID=4326;MULTIPOLYGON(((2 4,4 4,4 8,2 8,2 4)))', 1);
		UPDATE geo.commune SET postcodes = '{75001,75018}' WHERE code = '75056'`); err != nil {
		t.Fatal(err)
	}
	s, err := territory.Load(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := s.Commune("75118", territory.Include{Members: geom.Members{Geometry: true}})
	const want = `{"kind":"commune","codeInsee":"75118","name":"Paris 18e Arrondissement","deptCode":"75","deptName":"Paris","regionCode":"11","regionName":"Île-de-France","areaKm2":1,` +
		`"areaSource":null,"areaYear":null,"outlineAreaKm2":1,"arrondissementOf":{"name":"Paris","codeInsee":"75056"},"postcodes":["75018"],"formerCommunes":null,"chefLieuOf":null,` +
		`"geometry":{"type":"Polygon","coordinates":[[[0,4],[2,4],[2,8],[0,8],[0,4]]]}}`
	if err != nil || string(answer.Body) != want {
		t.Errorf("the answer on an arrondissement is %s, %v; want %s", answer.Body, err, want)
	}
	found := 0
	for lon, want := range map[float64]string{1: "75118", 3: "75101", 2: "75101", 5: ""} {
		if code, ok := s.ArrondissementAt(5, lon); code != want || ok != (want != "") {
			t.Errorf("lon %v lies in %q, want %q", lon, code, want)
		}
		at, err := s.CommuneAt(5, lon, territory.Include{})
		if err == nil && gjson.GetBytes(at.Body, "codeInsee").Str == "75056" {
			found++
			if got := gjson.GetBytes(at.Body, "arrondissement.codeInsee").Str; got != want {
				t.Errorf("the answer on lon %v has the arrondissement %q, want %q", lon, got, want)
			}
		}
	}
	if found == 0 {
		t.Error("no point lies in Paris")
	}
}

// A response is the same with a buffer as without, and never written to a buffer that is too small.
func TestBuffer(t *testing.T) {
	t.Parallel()
	s, _ := loadFixture(t)
	want, err := s.Region("11", everything)
	if err != nil {
		t.Fatal(err)
	}
	enough := len(want.Body) + geom.MaxVertexLen
	for _, size := range []int{0, 1, len(want.Body) - 1, enough - 1, enough, 2 * enough} {
		inc := everything
		inc.Buffer = append(make([]byte, 0, size), strings.Repeat("x", size)...)
		got, err := s.Region("11", inc)
		if err != nil || string(got.Body) != string(want.Body) {
			t.Errorf("buffer of %d: %s, %v", size, got.Body, err)
		}
		if used := size > 0 && inc.Buffer[0] != 'x'; used != (size >= enough) {
			t.Errorf("buffer of %d for %d bytes: used %v", size, len(want.Body), used)
		}
	}
}

// A cache that holds an answer never shows it for another form of the
// same commune, nor after its outline changed.
func TestVersions(t *testing.T) {
	t.Parallel()
	s, pool := loadFixture(t)
	seen := map[reply.Version]string{}
	for name, inc := range map[string]territory.Include{"plain": {}, "geometry": outlineOnly, "centre": {Members: geom.Members{Centre: true}}, "bbox": {Members: geom.Members{Bbox: true}}, "box": boxed, "stats": {Stats: someFigures}, "both": {Members: geom.Members{Geometry: true}, Stats: someFigures}, "other figures": {Stats: someFigures + " "}} {
		r, err := s.Commune("93010", inc)
		if err != nil {
			t.Fatal(err)
		}
		if other, twice := seen[r.Version]; twice || r.Version == (reply.Version{}) {
			t.Errorf("%s has the version %x of %q", name, r.Version, other)
		}
		seen[r.Version] = name
	}
	if _, err := pool.Exec(t.Context(), `UPDATE geo.commune_contour SET geom = ST_Translate(geom, 0.5, 0) WHERE code = '93010'`); err != nil {
		t.Fatal(err)
	}
	changed, err := territory.Load(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := changed.Commune("93010", outlineOnly); err != nil || seen[r.Version] != "" {
		t.Errorf("the version %x did not change with the outline (%v)", r.Version, err)
	}
}

// So it is of a département, and of its list: a commune in it may be renamed.
func TestVersionsOfLists(t *testing.T) {
	t.Parallel()
	s, pool := loadFixture(t)
	if _, err := pool.Exec(t.Context(), `UPDATE geo.commune SET name = 'Bondy-la-Neuve' WHERE code = '93010'`); err != nil {
		t.Fatal(err)
	}
	renamed, err := territory.Load(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[reply.Version]string{}
	for name, inc := range map[string]territory.Include{"plain": {}, "geometry": outlineOnly, "stats": {Stats: someFigures}, "list": {Communes: true}} {
		before, err := s.Departement("93", inc)
		if other, twice := seen[before.Version]; err != nil || twice {
			t.Errorf("%s has the version %x of %q (%v)", name, before.Version, other, err)
		}
		seen[before.Version] = name
		if after, err := renamed.Departement("93", inc); err != nil || name == "list" && after.Version == before.Version {
			t.Errorf("the version %x did not change with the list (%v)", after.Version, err)
		}
	}
}

// After Refresh returns, what was in the database when it was called is served, however many call at once.
func TestRefreshForConcurrentCallers(t *testing.T) {
	t.Parallel()
	_, pool := loadFixture(t)
	store := territory.New(pool)
	if _, ok := store.Place("93010"); ok || store.Snapshot() != nil {
		t.Error("something is served before the first load")
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := store.Refresh(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	before := store.Snapshot()
	if _, err := pool.Exec(t.Context(), `UPDATE geo.region SET name = 'Korsika' WHERE code = '94'`); err != nil {
		t.Fatal(err)
	}
	if err := store.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(regionsBody(store.Snapshot()), "Korsika") || strings.Contains(regionsBody(before), "Korsika") {
		t.Error("the new name is not served, or the former snapshot was modified")
	}
	if _, err := pool.Exec(t.Context(), `ALTER TABLE geo.region RENAME TO elsewhere`); err != nil {
		t.Fatal(err)
	}
	now := store.Snapshot()
	if err := store.Refresh(t.Context()); err == nil || store.Snapshot() != now {
		t.Errorf("error %v; the former snapshot must stay", err)
	}
}

// An empty database is an empty territory, not a failure: a server starts before its first load.
func TestEmpty(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	s, err := territory.Load(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	if got := regionsBody(s); got != `{"count":0,"data":[]}` {
		t.Errorf("regions %s", got)
	}
	if _, err := s.CommuneAt(48, 2, territory.Include{}); err == nil {
		t.Error("a commune was found in an empty territory")
	}
}

// A load of parcels, which may come by the hundred, does not rebuild the territory.
func TestReadsFrom(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"cog-communes": true, "contours-communes": true, "unheard-of": true,
		"contours-arrondissements": true, "parcelles-etalab": false, "comparateur-superficie": true, "comparateur-population": false} {
		if territory.IsMadeFrom(topic.Sources(), name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

// What is written reads back as the documented result.
func TestGeometryReadsBack(t *testing.T) {
	t.Parallel()
	s, _ := loadFixture(t)
	r, err := s.Commune("93008", everything)
	if err != nil {
		t.Fatal(err)
	}
	var c territory.Commune
	if err := json.Unmarshal(r.Body, &c); err != nil {
		t.Fatal(err)
	}
	if want := geom.GeoJSON(`{"type":"MultiPolygon",`); !bytes.HasPrefix(c.Geometry, want) {
		t.Errorf("geometry %s", c.Geometry)
	}
}
