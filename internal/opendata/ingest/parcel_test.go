package ingest_test

import (
	"fmt"
	"strings"
	"testing"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest"
)

// Whatever the order in which vintages arrive, the newest is served
// and the last state of what is gone is known.
func TestOrderOfVintagesDoesNotMatter(t *testing.T) {
	t.Parallel()
	vintages := map[string]string{
		"cadastre-01001-parcelles.2022-01-01.json": loadkit.Collection(loadkit.Parcel(1, 10), loadkit.Parcel(2, 20), loadkit.Parcel(3, 30)),
		"cadastre-01001-parcelles.2023-01-01.json": loadkit.Collection(loadkit.Parcel(1, 11), loadkit.Parcel(2, 21), loadkit.Parcel(4, 40)),
		"cadastre-01001-parcelles.2024-01-01.json": loadkit.Collection(loadkit.Parcel(1, 12), loadkit.Parcel(5, 50), loadkit.Parcel(3, 31)),
	}
	names := []string{"cadastre-01001-parcelles.2022-01-01.json", "cadastre-01001-parcelles.2023-01-01.json", "cadastre-01001-parcelles.2024-01-01.json"}
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		t.Run(fmt.Sprint(order), func(t *testing.T) {
			t.Parallel()
			b := loadkit.Cadastre(t)
			for _, i := range order {
				b.File(names[i], vintages[names[i]])
				b.MustLoad()
			}
			b.Want("SELECT idu, contenance FROM geo.parcelle", "010010000A0001|12\n010010000A0003|31\n010010000A0005|50")
			b.Want("SELECT idu, vintage, contenance FROM geo.parcelle_passee",
				"010010000A0002|2023-01-01|21\n010010000A0004|2023-01-01|40")
			b.Want("SELECT code, vintage, complete FROM geo.parcelle_commune", "01001|2024-01-01|true")
			b.Want("SELECT vintage FROM geo.load WHERE active", "2024-01-01")
			for key, o := range b.MustLoad() {
				if o.State != ingest.Unchanged {
					t.Errorf("%s %s is loaded a second time", key, o.Vintage)
				}
			}
		})
	}
}

// A file of a whole département and files of its communes end in the same tables in any order, and a commune
// that the newer file lacks is gone from service.
func TestDepartementAndCommuneFilesMeet(t *testing.T) {
	t.Parallel()
	type step struct{ name, content string }
	departement := step{"cadastre-01-parcelles.2023-01-01.json.gz", loadkit.Zipped(loadkit.Collection(
		loadkit.ParcelOf("01001", 1, 100, "2022-01-01"), loadkit.ParcelOf("01002", 2, 200, "2022-01-01")))}
	newer := step{"cadastre-01-parcelles.2025-01-01.json.gz", loadkit.Zipped(loadkit.Collection(loadkit.ParcelOf("01002", 2, 202, "2022-01-01")))}
	older := step{"cadastre-01002-parcelles.2022-01-01.json", loadkit.Collection(loadkit.ParcelOf("01002", 3, 300, "2021-01-01"))}
	commune := step{"cadastre-01001-parcelles.2024-01-01.json", loadkit.Collection(loadkit.ParcelOf("01001", 1, 101, "2023-01-01"))}
	for _, order := range [][]step{
		{departement, newer, older, commune}, {commune, older, newer, departement}, {older, departement, commune, newer},
		{newer, commune, departement, older},
	} {
		var names []string
		for _, s := range order {
			names = append(names, strings.TrimSuffix(strings.TrimPrefix(s.name, "cadastre-"), ".json.gz"))
		}
		t.Run(strings.Join(names, " "), func(t *testing.T) {
			t.Parallel()
			b := loadkit.Cadastre(t)
			for _, s := range order {
				b.File(s.name, s.content)
				b.MustLoad()
			}
			b.Want("SELECT idu, contenance FROM geo.parcelle", "010020000A0002|202")
			b.Want("SELECT idu, vintage, contenance FROM geo.parcelle_passee",
				"010010000A0001|2024-01-01|101\n010020000A0003|2022-01-01|300")
			b.Want("SELECT scope, vintage FROM geo.load WHERE active", "01|2025-01-01")
		})
	}
}

// A file that holds a part of a commune never makes the rest look gone, nor takes the place of the whole.
func TestPartsOfACommune(t *testing.T) {
	t.Parallel()
	part := loadkit.Collection(loadkit.ParcelOf("01001", 1, 15, "2025-06-01"), loadkit.ParcelOf("01001", 9, 90, "2025-06-01"))
	whole := loadkit.Collection(loadkit.Parcel(1, 10), loadkit.Parcel(2, 20))
	for _, wholeFirst := range []bool{true, false} {
		t.Run(fmt.Sprint("whole first: ", wholeFirst), func(t *testing.T) {
			t.Parallel()
			b := loadkit.Cadastre(t)
			if wholeFirst {
				b.File("cadastre-01001-parcelles.2022-01-01.json", whole)
				b.MustLoad()
			}
			b.File("cadastre-01001-parcelles.subset.json", part)
			b.MustLoad()
			if !wholeFirst {
				b.Want("SELECT idu, contenance FROM geo.parcelle", "010010000A0001|15\n010010000A0009|90")
				b.File("cadastre-01001-parcelles.2022-01-01.json", whole)
				b.MustLoad()
			}
			b.Want("SELECT idu, contenance FROM geo.parcelle", "010010000A0001|10\n010010000A0002|20")
			b.Want("SELECT idu, vintage FROM geo.parcelle_passee", "010010000A0009|2025-06-01")
		})
	}
	t.Run("a newer part", func(t *testing.T) {
		t.Parallel()
		b := loadkit.Cadastre(t)
		b.File("cadastre-01001-parcelles.subset.json", part)
		b.MustLoad()
		b.File("cadastre-01001-parcelles.subset.json", loadkit.Collection(loadkit.ParcelOf("01001", 2, 20, "2025-07-01")))
		b.MustLoad()
		b.Want("SELECT idu FROM geo.parcelle", "010010000A0001\n010010000A0002\n010010000A0009")
		b.Want("SELECT idu, vintage, contenance, ST_AsText(geom) FROM geo.parcelle_passee", "")
	})
}

// Parcels lie in blocks of one commune, in the order of their references, and are found through the blocks as
// they are found one by one, whatever edition they were loaded from.
func TestBlocksOfParcels(t *testing.T) {
	t.Parallel()
	b := loadkit.Cadastre(t)
	edition := func(year int, numbers ...int) {
		var features []string
		for _, n := range numbers {
			for _, of := range []string{"010010000A", "010010000B", "010011230A"} {
				lon, lat := 5+0.001*float64(n%20)+0.02*float64(of[9]-'A'), 46+0.001*float64(n/20)+0.1*float64(of[5]-'0')
				features = append(features, fmt.Sprintf(`{"type":"Feature","id":"%s%04d","geometry":%s,"properties":{"contenance":%d}}`,
					of, n, loadkit.Square(lon, lat), year))
			}
		}
		b.File(fmt.Sprintf("cadastre-01001-parcelles.%d-01-01.json", year), loadkit.Collection(features...))
		b.MustLoad()
	}
	var all, even []int
	for n := 1; n <= 150; n++ {
		if all = append(all, n); n%2 == 0 {
			even = append(even, n)
		}
	}
	for _, c := range []struct {
		year    int
		numbers []int
		blocks  string
	}{{2024, all, "4|450|2024|2024"}, {2025, even, "2|225|2025|2025"}, {2026, all, "4|450|2026|2026"}} {
		edition(c.year, c.numbers...)
		b.Want("SELECT (SELECT count(*) FROM geo.parcel_block) AS blocks, count(*), min(contenance), max(contenance) FROM geo.parcels_of('01001')", c.blocks)
		b.Want(`SELECT first_idu FROM geo.parcel_block b WHERE first_idu <> idus[1] OR last_idu <> idus[cardinality(idus)]
			OR idus <> (SELECT array_agg(i ORDER BY i COLLATE "C") FROM unnest(idus) i)
			OR NOT ST_Covers(box, (SELECT ST_Collect(ST_GeomFromTWKB(s)) FROM unnest(shapes) s)::geometry(Geometry, 4326))`, "")
		b.Want("SELECT first_idu FROM geo.parcel_block JOIN geo.parcelle ON idu BETWEEN first_idu AND last_idu AND idu <> ALL (idus)", "")
		b.Want(`SELECT count(*) FILTER (WHERE near <> one_by_one), sum(near) > 2 * count(*) AS neighbours
			FROM geo.parcelle p, LATERAL (SELECT count(*) AS near FROM geo.parcels_near(p.geom)) n,
			LATERAL (SELECT count(*) AS one_by_one FROM geo.parcelle o WHERE o.geom && p.geom) o`, "0|true")
	}
	b.Want("SELECT count(*) FROM geo.parcelle_passee", "0")
}

// Parcels that cannot be right cost themselves, with the reason; the rest of the commune is loaded.
func TestParcelsThatAreRefused(t *testing.T) {
	t.Parallel()
	var features []string
	for i := range 1000 {
		features = append(features, loadkit.Parcel(i+1, 100))
	}
	with := func(id, geometry string) string {
		return fmt.Sprintf(`{"type":"Feature","id":%q,"geometry":%s,"properties":{"contenance":5}}`, id, geometry)
	}
	swapped := `{"type":"Polygon","coordinates":[[[46,5],[46.001,5],[46.001,5.001],[46,5]]]}`
	features = append(features,
		with("01001000A0001", loadkit.Square(5, 46)), with("010020000A0001", loadkit.Square(5, 46)), with("010010000A0001", loadkit.Square(5, 46)),
		with("010010000B0001", swapped), with("010010000B0002", "null"), with("010010000B0003", `{"type":"Point","coordinates":[5,46]}`),
		with("010010000B0004", `{"type":"Polygon","coordinates":[[[5,46],[5.1,46],[5.1,46.1],[5,46.2]]]}`),
		with("010010000B0005", `{"type":"Polygon","coordinates":[[[5,46],[5.001,46],[5,46],[5,46]]]}`),
		// A bow tie is repaired: its two halves are kept.
		with("010010000C0001", `{"type":"Polygon","coordinates":[[[5,46],[5.002,46.002],[5.002,46],[5,46.002],[5,46]]]}`))
	b := loadkit.Cadastre(t)
	b.File("cadastre-01001-parcelles.json", loadkit.Collection(features...))
	out := b.MustLoad()["parcelles-etalab 01001"]
	var got []string
	for _, r := range out.Rejections {
		got = append(got, fmt.Sprintf("%d: %s", r.Line, r.Reason))
	}
	want := []string{
		`1001: its idu "01001000A0001" is not of the form`, `1005: it has no geometry`, `1006: its geometry is a "Point"; expected a polygon`,
		`1007: a ring of its geometry is not closed`, `1008: its geometry has no area`,
		`1004: its geometry is out of bounds, near 46.000, 5.000: wrong projection, or latitude and longitude swapped`,
		`1002: 010020000A0001 is not in 01001, which the file is named after`, `1003: its key is that of row 1, which is kept`,
	}
	if len(got) != len(want) {
		t.Fatalf("refused\n%s", strings.Join(got, "\n"))
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("refused %q; want %q", got[i], want[i])
		}
	}
	b.Want("SELECT count(*) FROM geo.parcelle", "1001")
	b.Want("SELECT ST_NumGeometries(geom), ST_IsValid(geom), round(ST_Area(geom)::numeric, 7) FROM geo.parcelle WHERE idu = '010010000C0001'",
		"2|true|0.0000020")
}

// A commune that exists no more is refused with the name of the one it is part of now: its references have
// changed. One that is in no département is refused as well.
func TestParcelsOfACommuneThatIsNotServed(t *testing.T) {
	t.Parallel()
	for code, says := range map[string]string{
		"01998": "commune 01998 is part of 01001 now", "01999": "commune 01999 is part of 01002 now", "01997": "no commune has code 01997",
		"97502": "commune 97502 is in no département", // its parcels could not say where they are
		"75056": "75056",
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			b := loadkit.Cadastre(t)
			if code == "75056" { // Paris has parcels in its arrondissements only, but the code is one of today
				b.File("cadastre-75-parcelles.json", loadkit.Collection(loadkit.ParcelOf("75101", 1, 5, "2020-01-01")))
				b.MustLoad()
				b.Want("SELECT code FROM geo.parcelle_commune", "75101")
				return
			}
			b.File("cadastre-"+code+"-parcelles.json", loadkit.Collection(loadkit.ParcelOf(code, 1, 5, "2020-01-01")))
			_, err := b.Load(ingest.Request{})
			loadkit.Contains(t, err, says, "cadastre-"+code+"-parcelles.json")
		})
	}
}

// The parcels of places that are not served are left out of the file of a département however many they are,
// and named: else those of two islands keep the parcels of Guadeloupe from being loaded. A code that no
// commune ever had stays a fault of the file.
func TestParcelsOfOtherPlacesAreLeftOut(t *testing.T) {
	t.Parallel()
	b := loadkit.Cadastre(t)
	b.Exec(`INSERT INTO geo.commune (type, code, name, departement_code, commune_code, former_codes) VALUES
		('commune-actuelle', '97701', 'Saint-Barthélemy', NULL, '97701', '{}'), ('commune-actuelle', '97101', 'Les Abymes', '971', '97101', '{97130}');
		INSERT INTO geo.commune_ended VALUES ('97123', 'Saint-Barthélemy', '2007-02-23')`)
	b.File("cadastre-971-parcelles.json", loadkit.Collection(loadkit.ParcelOf("97105", 1, 5, "2020-01-01"),
		loadkit.ParcelOf("97123", 1, 5, "2020-01-01"), loadkit.ParcelOf("97123", 2, 5, "2020-01-01"), loadkit.ParcelOf("97130", 1, 5, "2020-01-01")))
	out := b.MustLoad()["parcelles-etalab 971"]
	if out.Rows != 1 || out.Refused != 0 || out.LeftOut.Count != 3 {
		t.Errorf("%d rows, %d refused, %d left out; want 1, 0 and 3", out.Rows, out.Refused, out.LeftOut.Count)
	}
	const says = ", 3 left out (cadastre-971-parcelles.json, row 2: commune 97123 (Saint-Barthélemy) ended on 2007-02-23)"
	if !strings.HasSuffix(out.String(), says) {
		t.Errorf("the outcome is %q; want it to end with %q", out, says)
	}
	b.Want("SELECT refused_count, left_out_count FROM geo.load", "0|3")
	all, err := b.Loader().Sources(t.Context())
	testkit.NoError(t, err)
	for _, s := range all {
		if s.Name == "parcelles-etalab" && (s.Refused != 0 || s.LeftOut != 3) {
			t.Errorf("the list of sources says %d refused, %d left out; want 0 and 3", s.Refused, s.LeftOut)
		}
	}
	b.File("cadastre-971-parcelles.json", loadkit.Collection(loadkit.ParcelOf("97105", 1, 5, "2020-01-01"), loadkit.ParcelOf("97199", 1, 5, "2020-01-01")))
	_, err = b.Load(ingest.Request{})
	loadkit.Contains(t, err, "1 of 2 rows were refused", "no commune has code 97199")
}

// The sheet of a parcel is found whether the sheets come before the parcels or after them.
func TestSheetsBeforeOrAfterParcels(t *testing.T) {
	t.Parallel()
	sheet := func(number int, west, east float64) string {
		return fmt.Sprintf(`{"type":"Feature","id":"010010000A%02d","geometry":{"type":"MultiPolygon","coordinates":`+
			`[[[[%[2]g,45.9],[%[3]g,45.9],[%[3]g,46.1],[%[2]g,46.1],[%[2]g,45.9]]]]},"properties":{"id":"010010000A%02[1]d","updated":"2020-01-01"}}`,
			number, west, east)
	}
	sheets := loadkit.Collection(sheet(1, 5, 5.0021), sheet(2, 5.0021, 5.0031))
	parcels := loadkit.Collection(loadkit.Parcel(1, 10), loadkit.Parcel(2, 20), loadkit.Parcel(3, 30))
	for _, first := range []bool{true, false} {
		t.Run(fmt.Sprint("sheets first: ", first), func(t *testing.T) {
			t.Parallel()
			b := loadkit.Cadastre(t)
			for i, order := 0, []bool{first, !first}; i < 2; i++ {
				if order[i] {
					b.File("cadastre-01001-feuilles.json", sheets)
				} else {
					b.File("cadastre-01001-parcelles.json", parcels)
				}
				b.MustLoad()
			}
			b.Want("SELECT idu, feuille FROM geo.parcelle", "010010000A0001|1\n010010000A0002|2\n010010000A0003|")
		})
	}
}

// A corrected file of the same vintage replaces the one before, and
// readers are notified of the source that changed.
func TestCorrectionIsServedAndNotified(t *testing.T) {
	t.Parallel()
	b := loadkit.Cadastre(t)
	conn, err := b.DB.Acquire(t.Context())
	testkit.NoError(t, err)
	defer conn.Release()
	_, err = conn.Exec(t.Context(), "LISTEN arpent_geo")
	testkit.NoError(t, err)
	for _, contenance := range []int{10, 11} {
		b.File("cadastre-01001-parcelles.2024-01-01.json", loadkit.Collection(loadkit.Parcel(1, contenance)))
		b.MustLoad()
		n, err := conn.Conn().WaitForNotification(t.Context())
		if err != nil || n.Payload != "parcelles-etalab" {
			t.Fatalf("reported %v, %v; expected parcelles-etalab", n, err)
		}
		b.Want("SELECT contenance FROM geo.parcelle", fmt.Sprint(contenance))
	}
	b.Want("SELECT count(*) FILTER (WHERE active), count(*) FROM geo.load", "1|2")
}
