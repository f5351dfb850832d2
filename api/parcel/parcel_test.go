package parcel_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api/parcel"
	"arpent/api/reply"
	"arpent/app/dev/testkit"
	"arpent/internal/fault"
	"arpent/internal/opendata/geom"
)

// parcels lie on a grid of a thousandth of a degree. 0009 was divided into 0001 and 0002, of
// 0008 nothing is known but that it was there.
const parcels = `
INSERT INTO geo.parcelle (idu, contenance, feuille, geom) VALUES
    ('930100000A0002', NULL, NULL, 'SRID=4326;MULTIPOLYGON(((2.511 48.91,2.512 48.91,2.512 48.911,2.511 48.911,2.511 48.91)))'),
    ('930100000A0001', 700, 1, 'SRID=4326;MULTIPOLYGON(((2.51 48.91,2.511 48.91,2.511 48.911,2.51 48.911,2.51 48.91)))'),
    ('93010000AB0003', 0, 2, 'SRID=4326;MULTIPOLYGON(((2.52 48.91,2.523 48.91,2.523 48.913,2.52 48.913,2.52 48.91),
        (2.521 48.911,2.521 48.912,2.522 48.912,2.522 48.911,2.521 48.911)),((2.53 48.91,2.5312345 48.91,2.53 48.911,2.53 48.91)))'),
    ('75118000AB0003', 12, NULL, 'SRID=4326;MULTIPOLYGON(((2.31 48.81,2.311 48.81,2.311 48.811,2.31 48.811,2.31 48.81)))'),
    ('2A0040000A0012', 12, 1, 'SRID=4326;MULTIPOLYGON(((8.6 41.9,8.601 41.9,8.601 41.901,8.6 41.901,8.6 41.9)))'),
    ('97411000AB0001', 90, 1, 'SRID=4326;MULTIPOLYGON(((55.4 -20.9,55.401 -20.9,55.401 -20.899,55.4 -20.899,55.4 -20.9)))'),
    ('99999000AB0001', 90, 1, 'SRID=4326;MULTIPOLYGON(((55.5 -20.9,55.501 -20.9,55.501 -20.899,55.5 -20.899,55.5 -20.9)))');
INSERT INTO geo.parcelle_passee (idu, vintage, contenance, geom) VALUES
    ('930100000A0009', '2022-01-01', 1400, 'SRID=4326;MULTIPOLYGON(((2.51 48.91,2.51199 48.91,2.51199 48.911,2.51 48.911,2.51 48.91)))'),
    ('930100000A0008', NULL, NULL, 'SRID=4326;MULTIPOLYGON(((3 48,3.001 48,3.001 48.001,3 48.001,3 48)))');
INSERT INTO geo.commune (type, code, name, commune_code, former_codes) VALUES
    ('commune-actuelle', '93010', 'Bondy', '93010', '{93998}'), ('commune-deleguee', '93999', 'Ville', '93010', '{}');
INSERT INTO geo.parcelle (idu, geom) VALUES
    ('930109990A0004', 'SRID=4326;MULTIPOLYGON(((4 48,4.001 48,4.001 48.001,4 48.001,4 48)))'),
    ('930101230A0004', 'SRID=4326;MULTIPOLYGON(((4.1 48,4.101 48,4.101 48.001,4.1 48.001,4.1 48)))');
WITH l AS (INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
    VALUES ('parcelles-etalab', 'test', 'test', 'test', '[]', '', 0, 0, '[]', now(), now(), true) RETURNING id)
INSERT INTO geo.parcelle_commune (code, vintage, rank, complete, names_sheet, load_id)
SELECT code, vintage::date, 2, true, true, id
FROM l, (VALUES ('93010', '2025-04-01'), ('75118', '2025-01-01'), ('2A004', NULL), ('97411', '2024-10-01'), ('99999', NULL)) v (code, vintage);`

// outlineOnly asks for the outline of a parcel.
var outlineOnly = geom.Members{Geometry: true}

// testPlace stands in for the territory. One name needs escaping.
func testPlace(code string) (parcel.Place, bool) {
	p, ok := map[string]parcel.Place{
		"93010": {CodeInsee: "93010", CommuneName: "Bondy", CodeDep: "93"},
		"75118": {CodeInsee: "75056", CommuneName: "Paris", CodeDep: "75", CodeArr: "118"},
		"75056": {CodeInsee: "75056", CommuneName: "Paris", CodeDep: "75"},
		"2A004": {CodeInsee: "2A004", CommuneName: `L'"Île" <&>`, CodeDep: "2A"},
		"97411": {CodeInsee: "97411", CommuneName: "Saint-Denis", CodeDep: "974"},
		"93998": {CodeInsee: "93010", CommuneName: "Bondy", CodeDep: "93"}, // merged
		"93999": {CodeInsee: "93010", CommuneName: "Bondy", CodeDep: "93"},
		"75001": {CodeInsee: "94002", CommuneName: "Alfortville", CodeDep: "94"},
	}[code]
	return p, ok
}

// noIndex is as long as there is no file.
func noIndex() *parcel.Index { return nil }

// arrondissements stands in for those of the territory.
func arrondissements(commune string) []string {
	return map[string][]string{"75056": {"75101", "75118"}}[commune]
}

// explainCode stands in for what the territory knows of other codes.
func explainCode(code string) string {
	return map[string]string{"75001": "75001 is a postcode.", "33000": "33000 is a postcode.", "97501": "97501 is overseas."}[code]
}

// database holds parcels, and what the statements add to them.
func database(t testing.TB, more ...string) *pgxpool.Pool {
	t.Helper()
	pool, _ := testkit.DB(t)
	for _, sql := range append([]string{parcels}, more...) {
		testkit.Exec(t, pool, sql)
	}
	return pool
}

// newStore serves the file of such a database.
func newStore(t testing.TB, more ...string) *parcel.Store {
	t.Helper()
	return storeOf(indexOf(t, database(t, more...)))
}

func storeOf(index *parcel.IndexStore) *parcel.Store {
	return parcel.New(testPlace, explainCode, arrondissements, index.Get)
}

// Names, order and form of every member are promised to clients, and what is written by
// hand is what the documented type encodes to.
func TestFind(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for _, idu := range []string{"930100000A0001", "930100000A0002", "93010000AB0003", "75118000AB0003", "2A0040000A0012", "97411000AB0001"} {
		for form, in := range map[string]geom.Members{"false": {}, "true": outlineOnly, "box": {Centre: true, Bbox: true}} {
			name := fmt.Sprintf("%s_%s.json", idu, form)
			r, err := s.Find(idu, in, nil)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			testkit.Golden(t, name, append(bytes.Clone(r.Body), '\n'))
			var p parcel.Parcelle
			if err := json.Unmarshal(r.Body, &p); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			again, err := json.Marshal(p)
			if err != nil || !bytes.Equal(again, r.Body) {
				t.Errorf("%s: written %s, encodes to %s (%v)", name, r.Body, again, err)
			}
			if r.Version == (reply.Version{}) {
				t.Errorf("%s: no version", name)
			}
		}
	}
}

// A point has one answer, the same at each call; on a border, the lowest reference. Every vertex of an
// outline that was given out finds a parcel.
func TestAt(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for _, tc := range []struct {
		name     string
		lon, lat float64
		want     string // empty: no parcel
	}{
		{"inside", 2.5105, 48.9105, "930100000A0001"},
		{"shared border", 2.511, 48.9105, "930100000A0001"},
		{"shared corner", 2.511, 48.911, "930100000A0001"},
		{"one unit further", 2.5110001, 48.9105, "930100000A0002"},
		{"outer corner", 2.512, 48.911, "930100000A0002"},
		{"in a hole", 2.5215, 48.9115, ""},
		{"border of a hole", 2.521, 48.9115, "93010000AB0003"},
		{"vertex with seven decimals", 2.5312345, 48.91, "93010000AB0003"},
		{"beyond it", 2.5312346, 48.91, ""},
		{"overseas", 55.4005, -20.8995, "97411000AB0001"},
		{"at sea", -30, 0, ""},
	} {
		r, err := s.At(tc.lat, tc.lon, 0, geom.Members{}, nil)
		if tc.want == "" {
			if fault.From(err).Code != fault.NotFound {
				t.Errorf("%s: got %s, %v; want a 404", tc.name, r.Body, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if same, err := s.Find(tc.want, geom.Members{}, nil); err != nil || string(r.Body) != withMatch(same.Body, "inside", 0) {
			t.Errorf("%s: got %s, want that of %s (%v)", tc.name, r.Body, tc.want, err)
		}
	}
	at := testkit.Must(s.At(48.9105, 2.511, 0, outlineOnly, nil))(t)
	if found, err := s.Find("930100000A0001", outlineOnly, nil); err != nil || string(at.Body) != withMatch(found.Body, "inside", 0) {
		t.Errorf("with geometry: at %s, by reference %s (%v)", at.Body, found.Body, err)
	}
}

// withMatch is the answer for a parcel by its reference, as it is for a point.
func withMatch(body []byte, match string, metres int) string {
	added := fmt.Sprintf(`,"match":"%s","distanceM":%d`, match, metres)
	for _, member := range []string{`,"geometry":`, `,"centre":`} {
		if before, outline, ok := strings.Cut(string(body), member); ok {
			return before + added + member + outline
		}
	}
	return strings.TrimSuffix(string(body), "}") + added + "}"
}

// The point of an address often lies in the street. Up to the distance that is asked for the nearest parcel
// is answered, with its distance, and never in place of one that covers the point; farther there is none.
func TestAtNearest(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for _, tc := range []struct {
		name          string
		lon, lat, max float64
		want          string // empty: no parcel
		match         string
		metres        int
	}{
		{"inside", 2.5105, 48.9105, 50, "930100000A0001", "inside", 0},
		{"on the border", 2.511, 48.9105, 50, "930100000A0001", "inside", 0},
		{"11 m away", 2.5105, 48.9101 - 0.0002, 20, "930100000A0001", "nearest", 11},
		{"11 m away, of 10", 2.5105, 48.9101 - 0.0002, 10, "", "", 0},
		{"11 m away, of 0", 2.5105, 48.9101 - 0.0002, 0, "", "", 0},
		{"a few centimetres away", 2.5105, 48.9099995, 10, "930100000A0001", "nearest", 1},
		{"in a hole", 2.5211, 48.9115, 50, "93010000AB0003", "nearest", 7},
		{"as near to two", 2.511, 48.9111, 50, "930100000A0001", "nearest", 11},
		{"at sea", -30, 0, 50, "", "", 0},
	} {
		for _, in := range []geom.Members{{}, outlineOnly, {Centre: true, Bbox: true}} {
			r, err := s.At(tc.lat, tc.lon, tc.max, in, nil)
			if tc.want == "" {
				if fault.From(err).Code != fault.NotFound {
					t.Errorf("%s: got %s, %v; want a 404", tc.name, r.Body, err)
				}
				continue
			}
			if same, found := s.Find(tc.want, in, nil); err != nil || found != nil || string(r.Body) != withMatch(same.Body, tc.match, tc.metres) {
				t.Errorf("%s: got %s, want that of %s, %s, %d m away (%v, %v)", tc.name, r.Body, tc.want, tc.match, tc.metres, err, found)
			}
			var p parcel.Parcelle
			if err := json.Unmarshal(r.Body, &p); err != nil {
				t.Fatalf("%s: %v", tc.name, err)
			}
			if again, err := json.Marshal(p); err != nil || !bytes.Equal(again, r.Body) {
				t.Errorf("%s: written %s, encodes to %s (%v)", tc.name, r.Body, again, err)
			}
		}
	}
}

// The nearest parcel is the one with the fewest metres to it, whatever a degree of longitude looks like: at
// this latitude it is two thirds of one of latitude.
func TestNear(t *testing.T) {
	t.Parallel()
	s := newStore(t, `INSERT INTO geo.parcelle (idu, geom)
		SELECT '93010000CD000' || n, ST_Multi(ST_MakeEnvelope(3.5 + n * 1e-6, 48.0001, 3.5000005 + n * 1e-6, 48.0002, 4326))
		FROM generate_series(1, 6) n
		UNION ALL SELECT '93010000EF0001', ST_Multi(ST_MakeEnvelope(3.50014, 47.9999, 3.5003, 48.0001, 4326))`)
	for _, tc := range []struct {
		lon, lat float64
		within   int
		want     string // empty: none
		metres   int
	}{
		{3.5, 48, 30, "93010000EF0001", 10},
		{3.5, 48, 10, "", 0},
		{3.5, 48.00001, 30, "93010000CD0001", 10},
		{2.5105, 48.9105, 30, "930100000A0001", 0},
		{-30, 0, 30, "", 0},
	} {
		idu, metres, err := s.Near(tc.lat, tc.lon, tc.within)
		if tc.want == "" {
			if fault.From(err).Code != fault.NotFound {
				t.Errorf("%v, %v: %s, %.1f m, %v; want a 404", tc.lon, tc.lat, idu, metres, err)
			}
		} else if err != nil || idu != tc.want || int(metres) != tc.metres {
			t.Errorf("%v, %v: %s, %.1f m, %v; want %s, %d m", tc.lon, tc.lat, idu, metres, err, tc.want, tc.metres)
		}
	}
}

// A reference that answers nothing says why: malformed, unknown, or gone with its successors.
func TestNotFound(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for _, tc := range []struct {
		idu  string
		code fault.Code
		want string
	}{
		{"930100000a0001", fault.InvalidParameter, `idu is "930100000a0001"; expected a cadastral reference of 14 characters`},
		{"930100000A9999", fault.NotFound, "No parcel has reference 930100000A9999: the parcels of Bondy (93010) are loaded, and this is none of them."},
		{"930100000A0009", fault.NotFound, "Parcel 930100000A0009 is no longer in the cadastre; it was last seen in the edition of 2022-01-01; " +
			"in its place are now: 930100000A0001, 930100000A0002."},
		{"930100000A0008", fault.NotFound, "Parcel 930100000A0008 is no longer in the cadastre."},
		{"99999000AB0001", fault.Unavailable, "not loaded yet"},
		{"939990000A0004", fault.NotFound, "No parcel has reference 939990000A0004 any more: what was commune 93999 is in 93010 now; in its place is now: 930109990A0004."},
		{"939981230A0004", fault.NotFound, "what was commune 93998 is in 93010 now; in its place is now: 930101230A0004."},
		{"939990000A0005", fault.NotFound, "what was commune 93999 is in 93010 now, and so are its parcels."},
	} {
		_, err := s.Find(tc.idu, outlineOnly, nil)
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != tc.code || !strings.Contains(f.Message, tc.want) {
			t.Errorf("%s: got %v, want %s with %q", tc.idu, err, tc.code, tc.want)
		}
	}
}

// What a report is written for is a served parcel of a known commune with its outline, or the same failure as
// the parcel itself answers.
func TestSubject(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for idu, want := range map[string]string{"930100000A0001": "93010", "75118000AB0003": "75056"} {
		got, attributes, err := s.Subject(idu)
		if err != nil || got.Commune != want || got.Arrondissement != idu[:5] || len(got.Outline) == 0 || !json.Valid(attributes) {
			t.Errorf("%s lies in %s (%v), want %s, with %s", idu, got.Commune, err, want, attributes)
		}
	}
	for idu, want := range map[string]fault.Code{"930100000A0009": fault.NotFound, "99999000AB0001": fault.Unavailable, "x": fault.InvalidParameter} {
		if _, _, err := s.Subject(idu); fault.From(err).Code != want {
			t.Errorf("%s: %v, want %s", idu, err, want)
		}
	}
}

// Until there is a file the answer is that trying again is safe, and when; a reference that is none is one
// all the same.
func TestNoFileYet(t *testing.T) {
	t.Parallel()
	s := parcel.New(testPlace, explainCode, arrondissements, noIndex)
	_, find := s.Find("930100000A0001", outlineOnly, nil)
	_, at := s.At(48.9105, 2.5105, 0, outlineOnly, nil)
	_, _, subject := s.Subject("930100000A0001")
	_, _, near := s.Near(48.9105, 2.5105, 30)
	_, around := s.Around("930100000A0001", 30)
	_, coverage := s.Coverage("93010")
	for name, err := range map[string]error{"find": find, "at": at, "subject": subject, "near": near,
		"around": around, "coverage": coverage} {
		f := fault.From(err)
		if f.Code != fault.Unavailable || f.RetryAfter == 0 || !strings.Contains(f.Message, "being built") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.Find("x", outlineOnly, nil); fault.From(err).Code != fault.InvalidParameter {
		t.Errorf("no reference: %v", err)
	}
}

// The plan around a parcel shows the parcel and those nearest to it, in the order of their references; around
// one that is not served there is nothing.
func TestAround(t *testing.T) {
	t.Parallel()
	s := newStore(t, "DELETE FROM geo.parcelle", grid)
	if around, err := s.Around("75118000ZZ9999", 90); err != nil || len(around) != 0 {
		t.Errorf("around nothing: %d parcels (%v)", len(around), err)
	}
	for _, count := range []int{1, 30, 90} {
		around, err := s.Around("930100000A0000", count)
		if err != nil || len(around) != count {
			t.Fatalf("%d parcels, want %d (%v)", len(around), count, err)
		}
		own := slices.IndexFunc(around, func(o parcel.Outline) bool { return o.IDU == "930100000A0000" })
		byIDU := func(a, b parcel.Outline) int { return strings.Compare(a.IDU, b.IDU) }
		if own < 0 || !slices.IsSortedFunc(around, byIDU) {
			t.Errorf("of %d parcels the own one is number %d", count, own)
		}
		for _, o := range around {
			if n := len(o.Ring); n < 4 || o.Ring[0] != o.Ring[n-1] || o.Ring[0][0] > 2.515 || o.Ring[0][1] > 48.911 {
				t.Errorf("%s is drawn as %v", o.IDU, o.Ring)
			}
		}
	}
}

// Whatever is sent, a reference is taken when and only when it has
// the published form, and its parts make it up.
func FuzzParseIDU(f *testing.F) {
	for _, s := range []string{"930100000A0224", "2A0040000A0012", "2B0330000A0012", "97411000AB0001", "", "930100000A022", "930100000A02244",
		"3A0040000A0012", "A20040000A0012", "93010000aB0001", "930100000A022é", "930100000A0224\n", "93010 000A0224", "２30100000A02"} {
		f.Add(s)
	}
	pattern := regexp.MustCompile(parcel.IDUPattern)
	f.Fuzz(func(t *testing.T, s string) {
		id, err := parcel.ParseIDU(s)
		if (err == nil) != pattern.MatchString(s) {
			t.Fatalf("%q: error %v, but the pattern says otherwise", s, err)
		}
		if err != nil {
			if fault.From(err).Code != fault.InvalidParameter {
				t.Fatalf("%q: %v is no 400", s, err)
			}
			return
		}
		if id.Commune()+id.Prefix()+id.Section()+id.Number() != s {
			t.Fatalf("%q falls into %s %s %s %s", s, id.Commune(), id.Prefix(), id.Section(), id.Number())
		}
	})
}

// A reference is understood as deeds and people write it; what could mean several parcels, or none, is not.
func TestRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"93010 A 224": "930100000A0224", "93010a224": "930100000A0224", "930100000a0224": "930100000A0224", "93010 000 0A 0224": "930100000A0224",
		"93010-AB-7": "93010000AB0007", " 2a004 b 12 ": "2A0040000B0012", "93010 999 A 4": "930109990A0004", "67482 12 34": "67482000120034",
		"97411 ab 0001": "97411000AB0001", "93010\u00a0A\u00a0224": "930100000A0224",
		"93 010 AY 71": "93010000AY0071", "section AY n° 71, 93010": "93010000AY0071", "93010 parcelle AY n°71": "93010000AY0071", "93O10 AY 71": "93010000AY0071",
		"93010OOOAYOO71": "93010000AY0071", "93010 N 12": "930100000N0012", "93010 AO 71": "93010000AO0071", "971 05 AB 12": "97105000AB0012",
		"parcelle 93010000AY0071, Bondy": "93010000AY0071", "AY 71 Bondy": "", "AY71 à Bondy": "", "AY 71": "",
		"1004000AB0012": "01004000AB0012", "1004000ab0012": "01004000AB0012", "1004000A0012": "", "93010 12 AB 3456": "",
		"": "", "93010": "", "93010 A": "", "93010 224": "", "93010 ABC 224": "", "93010 A 22400": "", "93010122": "", "2C004 A 1": "",
		"93140 Bondy": "", "93010 A 224 B": "", "751040000AB0001": "", strings.Repeat("9", 50): "",
	} {
		got, ok := parcel.Read(text)
		if string(got) != want && ok || ok != (want != "") {
			t.Errorf("%q: %q and %t, want %q", text, got, ok, want)
		}
	}
}

// A recorded area that cannot be that of the outline is served as it is, and marked: from half of it to twice
// it is taken for the same, and nothing is said of an area that is not recorded. 0 is none: no land has it.
func TestContenanceAgainstOutline(t *testing.T) {
	t.Parallel()
	for contenance, want := range map[string]string{ // the outline has 8 151.9 m²
		"8127": "false", "4200": "false", "4000": "true", "16000": "false", "16500": "true", "0": "null", "NULL": "null",
	} {
		s := newStore(t, "UPDATE geo.parcelle SET contenance = "+contenance+" WHERE idu = '930100000A0001'")
		for _, ask := range []func() (reply.Reply, error){
			func() (reply.Reply, error) { return s.Find("930100000A0001", outlineOnly, nil) },
			func() (reply.Reply, error) { return s.Find("930100000A0001", geom.Members{}, nil) },
			func() (reply.Reply, error) { return s.At(48.9105, 2.5105, 0, geom.Members{}, nil) },
		} {
			r, err := ask()
			recorded := strings.ToLower(contenance)
			if contenance == "0" {
				recorded = "null"
			}
			if text := `"contenance":` + recorded + `,"contenanceDiffers":` + want + `,"outlineAreaM2":8151.9,"vintage":"2025-04-01"`; err != nil || !strings.Contains(string(r.Body), text) {
				t.Errorf("%s: %s, want %s (%v)", contenance, r.Body, text, err)
			}
		}
	}
}

// The name of a commune is read apart from section and number, wherever they stand.
func TestReadWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"AY71 à Bondy": "|BONDY||AY|0071", "section AY n° 71 Bondy": "|BONDY||AY|0071", "AB 58 Bondy (93140)": "93140|BONDY||AB|0058",
		"Bondy, parcelle AB 58": "|BONDY||AB|0058", "L’Haÿ-les-Roses section A numéro 12": "|L HAY LES ROSES||0A|0012", "94 Bondy 101 B 5": "94|BONDY|101|0B|0005",
		"section BI 31 paris 18 eme": "|PARIS 18EME||BI|0031", "BI 31 Paris 18 e": "|PARIS 18E||BI|0031", "Lyon 3 ème AE 12": "|LYON 3EME||AE|0012",
		"Paris 18 ER 12":  "18|PARIS||ER|0012",
		"Paris 18e AB 58": "|PARIS 18E||AB|0058", "N 12 Bondy": "|BONDY||0N|0012", "section N n° 12 de la commune de Bondy": "|BONDY||0N|0012",
		"parcel n° 71 of section ay in 93140 Bondy": "93140|BONDY||AY|0071", "parcelle 71 section AY Bondy": "|BONDY||AY|0071", "n°71, section AY, Bondy": "|BONDY||AY|0071",
		"Roussines 36 section a 100": "36|ROUSSINES||0A|0100", "parcelle cadastrale AY 71 sise à Bondy": "|BONDY||AY|0071", "références cadastrales : AY 71 (Bondy)": "|BONDY||AY|0071",
		"parcel AY 71, Bondy, 93140": "93140|BONDY||AY|0071", "feuille 1 section AY parcelle 71 Bondy": "|BONDY||AY|0071", "BONDY AY 71 (86 m²)": "|BONDY||AY|0071",
		"bondy cadastre A-224 lot 3": "|BONDY||0A|0224", "lot 3 parcelle AY 71 Bondy": "|BONDY||AY|0071", "Bondy AY 71 lots 3 et 4": "|BONDY||AY|0071", "93010 AY 71 lot 12": "93010|||AY|0071",
		"Cahors A 12 Lot 46": "46|CAHORS LOT||0A|0012", "Ville d'Avray AB 5": "|VILLE D AVRAY||AB|0005", "cadastre: BONDY / AY / 71": "|BONDY||AY|0071",
		"parcelle BK 12 Paris18": "18|PARIS||BK|0012", "cad. 93 010 AY 0071": "93010|||AY|0071",
	} {
		w, ok := parcel.ReadWritten(text)
		if got := strings.Join([]string{w.Code, w.Place, w.Prefix, w.Section, w.Number}, "|"); !ok || got != want {
			t.Errorf("%q: %q and %t, want %q", text, got, ok, want)
		}
	}
	for text, want := range map[string]string{
		"superficie AY71 à Bondy": "BONDY", "What is the area of AY 71 in Bondy (93140)": "BONDY", "surface de la parcelle AY 71 Bondy": "BONDY",
		"Le Pré AY 71": "", "Bondy AY 71": "", "12 rue Borel bâtiment B 3 à Bondy": "", "avenue B 3 à Bondy": "", "bât B 3 à Bondy": "", "Lilas B 3 Bondy": "",
	} {
		if w, ok := parcel.ReadWritten(text); !ok || w.After != want {
			t.Errorf("%q: %+v and %t, want %q after the reference", text, w, ok, want)
		}
	}
	for _, text := range []string{"", "12 rue de Paris", "Bondy", "AY Bondy", "AB 58 AC 59 Bondy", "12", "A 12 (", strings.Repeat("AB 5 ", 40)} {
		if w, ok := parcel.ReadWritten(text); ok {
			t.Errorf("%q is read as %+v", text, w)
		}
	}
}

// Deeds name neighbouring parcels together: each is read.
func TestSplitSeveral(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Bondy AY n°71-72": "BONDY AY 71|BONDY AY 72", "93010 AY 71 et 72": "93010 AY 71|93010 AY 72", "AY 71 et AZ 3, Bondy": "AY 71 BONDY|AZ 3 BONDY",
		"section AY n° 71 et n° 72 Bondy": "AY 71 BONDY|AY 72 BONDY", "Bondy AY 71": "", "AY 71 93140 Bondy": "", "": "",
	} {
		testkit.Want(t, strings.Join(parcel.SplitSeveral(text), "|"), want, text)
	}
}

// A text that is not the reference of one parcel is refused with what it lacks; of others nothing is said.
func TestExplainUnread(t *testing.T) {
	t.Parallel()
	const one = "If it means several parcels, ask for one at a time."
	for text, want := range map[string]string{
		"93010 AY 71 et 72": one, "93010 AY 71, 72": one, "AY 71 et AY 72 Bondy": one, "section AY n° 71 à 75 Bondy": one, "AY 71 AZ 3 Bondy": one,
		"section AY n° 71 et n° 72": one,
		"AY 71":                     "The commune is missing: add its name or its code, as in AY 71 Bondy.",
		"section AY numéro 71":      "The commune is missing: add its name or its code, as in AY 71 Bondy.",
		"ay71":                      "The commune is missing: add its name or its code, as in AY71 Bondy.",
		"93010 AY 71":               "", "AY 71 Bondy": "", "AY 71 93140 Bondy": "", "section AY 71 Nulle-Part": "", "930100000A02": "", "A": "", "": "",
		strings.Repeat("AB 5 ", 40): "",
	} {
		testkit.Want(t, parcel.ExplainUnread(text), want, text)
	}
}
