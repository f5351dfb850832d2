package report_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
)

// realFixture loads the files of the data folder. They are not copied.
func realFixture(t *testing.T) *fixture {
	t.Helper()
	data := testkit.FullData(t)
	b := newFixture(t)
	b.Data = filepath.Join(data, "enrich")
	return b
}

// The real list of stations: as many as the producer lists, less the seven without a place.
func TestRealStations(t *testing.T) {
	b := realFixture(t)
	loaded(t, b.LoadSource("railway-stations"), 2778, 7)
	// Bondy is at 48.894208, 2.4786 in the file; the parcel's south-western corner is at 48.9, 2.48.
	b.wants("nearestGare", fmt.Sprintf(`{"name":"Bondy","uic":"87113407","distanceM":%d}`, int(math.Round(apart(2.48, 48.9, 2.4786, 48.894208)))))
}

func TestRealAirports(t *testing.T) {
	b := realFixture(t)
	loaded(t, b.LoadSource("airports-airportsdata"), 142, 0) // of 480, those with an IATA code
	if got := b.value("nearestAirport"); !strings.Contains(got, `"LBG"`) {
		t.Error(got)
	}
}

// Schools of Paris 18e: the index is of the arrondissement, the latest of three sessions is returned.
func TestRealSchools(t *testing.T) {
	b := realFixture(t)
	loaded(t, b.LoadSource("school-index-primary"), 30059, 0)
	loaded(t, b.LoadSource("school-index-colleges"), 6973, 0)
	loaded(t, b.LoadSource("school-index-lycees"), 3598, 0)
	out := b.LoadSource("school-results-colleges")
	if out.Refused != 0 || out.Rows < 6600 || out.Rows > 7200 {
		t.Errorf("%d rows, %d refused of 20 053 rows of three sessions", out.Rows, out.Refused)
	}
	b.Parcel("751180000A0001", squareWKT)
	got := b.schools("751180000A0001")
	levels := map[string]int{}
	for _, s := range got {
		levels[s.Level]++
	}
	if len(got) != 10 || len(levels) != 3 {
		t.Errorf("%+v", got)
	}
}

// The extract of 2014 is of Paris: of 27 + 41 + 2 structures of the categories of hospitals 21 + 1 are
// hospitals by their names. The day hospital 750050528, on the spot, is none.
func TestRealHospitals(t *testing.T) {
	b := realFixture(t)
	loaded(t, b.LoadSource("finess-hospitals"), 22, 0)
	b.wants("nearestHospital", "null")
	b.Parcel("751110000A0001", "POLYGON((2.3752069 48.8558373, 2.3762 48.8558373, 2.3762 48.8568, 2.3752069 48.8558373))")
	if got := b.valueOf("751110000A0001", "nearestHospital"); !strings.Contains(got, "CHNO DES QUINZE-VINGT PARIS") || !strings.Contains(got, `"distanceM":554`) {
		t.Error(got)
	}
	if b.takesAny("finess-plus") {
		t.Error("the extract of the official example is taken for the file")
	}
}

// The nearest station of places all over the country is that which plain arithmetic finds in the file.
func TestRealNearestStation(t *testing.T) {
	b := realFixture(t)
	b.LoadSource("railway-stations")
	rows := realRows(t, filepath.Join(b.Data, "sncf", "gares-de-voyageurs.csv"), ';')
	for i, at := range [][2]float64{{2.48, 48.9}, {2.345, 48.89}, {2.32, 48.67}, {3.87, 43.6}, {-1.5, 47.2}, {7.7, 48.6}, {0.7, 45.2}} {
		idu := fmt.Sprintf("930100000B%04d", i)
		b.Parcel(idu, fmt.Sprintf("POLYGON((%[1]f %[2]f, %[3]f %[2]f, %[3]f %[4]f, %[1]f %[2]f))", at[0], at[1], at[0]+1e-6, at[1]+1e-6))
		best, name := math.Inf(1), ""
		for _, row := range rows {
			lat, lon, found := strings.Cut(row[3], ",")
			if !found {
				continue
			}
			if m := apart(at[0], at[1], degrees(t, lon), degrees(t, lat)); m < best {
				best, name = m, row[0]
			}
		}
		got := b.valueOf(idu, "nearestGare")
		if !strings.Contains(got, strconv.Quote(name)) || !strings.Contains(got, fmt.Sprintf(`"distanceM":%.0f}`, best)) {
			t.Errorf("at %v: %s; want %s at %.1f m", at, got, name, best)
		}
	}
}

// realRows are the lines of a real file, without its header.
func realRows(t *testing.T, path string, separator rune) [][]string {
	t.Helper()
	f, err := os.Open(path)
	testkit.NoError(t, err)
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma = separator
	rows, err := r.ReadAll()
	testkit.NoError(t, err)
	return rows[1:]
}

func degrees(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	testkit.NoError(t, err)
	return v
}
