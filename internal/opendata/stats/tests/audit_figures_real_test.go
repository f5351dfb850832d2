package stats_test

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic/population"
)

// The density of every commune is its inhabitants by the land area in the file, read here and not in
// our tables; communes without one in it have none. Sète is more than a third water: 1 873
// inhabitants on a km² of land, 1 118 of its outline.
func TestRealDensityIsByLandArea(t *testing.T) {
	d := realData(t)
	land, without := landAreas(t, d), 0
	for _, c := range d.Communes {
		var got population.Population
		testkit.NoError(t, json.Unmarshal([]byte(blockOf(t, d, stats.Commune, c.Code, "population")), &got))
		area, known := land[c.Code]
		if !known || got.Latest == nil {
			if without++; got.Density != nil {
				t.Errorf("%s has a density of %g without a land area in the file", c.Code, *got.Density)
			}
			continue
		}
		want := math.Round(float64(got.Latest.Municipal)*10/area) / 10
		if want < 1 {
			want = math.Round(float64(got.Latest.Municipal)*1000/area) / 1000
		}
		if want == 0 && got.Latest.Municipal > 0 {
			t.Errorf("%s has %d inhabitants and no density", c.Code, got.Latest.Municipal)
		}
		if got.Density == nil || *got.Density != want {
			t.Errorf("the density of %s is %s, %d inhabitants on %g km² are %g", c.Code, number(got.Density), got.Latest.Municipal, area, want)
		}
		if c.Code == "34301" && (want < 1872 || want > 1874) {
			t.Errorf("the density of Sète is %g, expected 1873", want)
		}
	}
	if without != 17+5+1 {
		t.Errorf("%d communes have no density, expected the 17 of Mayotte, the 5 that were Neussargues en Pinatelle until 2025, and 27676", without)
	}
	// The file has no row of Les Trois Lacs: it is left out of the density of the Eure and of its région.
	for _, of := range []*stats.Territory{d.Find(stats.Departement, "27"), d.Find(stats.Region, "28")} {
		if got := rankOf(t, d, of.Level, of.Code, "density"); !strings.Contains(got, `"coverage":0.99`) {
			t.Errorf("the density of %s is %s, expected one without Les Trois Lacs", of.Code, got)
		}
	}
	same(t, "density of Mayotte", rankOf(t, d, stats.Departement, "976", "density"), "null")
}

// landAreas reads the column superficie_km2 of the file, with the arrondissements of the three
// cities added up and communes that were merged or renumbered since with those that they
// became. Those that were split since are left out.
func landAreas(t *testing.T, d *stats.Data) map[string]float64 {
	t.Helper()
	becomes, split := movements(t)
	land, seen := map[string]float64{}, map[string]bool{}
	for _, row := range readCSV(t, "insee-comparateur/communes_comparateur_2021.csv.gz") {
		code := row["insee_com"]
		area, err := strconv.ParseFloat(row["superficie_km2"], 64)
		if err != nil || row["commune_type"] == "COMD" || seen[code] { // Mayotte has none; a row for each postal code
			continue
		}
		seen[code] = true
		if row["commune_type"] == "ARM" {
			code = map[string]string{"75": "75056", "13": "13055", "69": "69123"}[code[:2]]
		}
		for d.Find(stats.Commune, code) == nil && becomes[code] != "" {
			code = becomes[code]
		}
		land[code] += area
	}
	for code := range split {
		delete(land, code)
	}
	return land
}

// movements reads what communes of 2024 became, and which came out of a split since.
func movements(t *testing.T) (becomes map[string]string, split map[string]bool) {
	t.Helper()
	becomes, split = map[string]string{}, map[string]bool{}
	for _, row := range readCSV(t, "cog/mouvements-communes.csv.gz") {
		if row["DATE_EFF"] <= "2024-01-01" || row["TYPECOM_AV"] != "COM" || row["TYPECOM_AP"] != "COM" {
			continue
		}
		if row["MOD"] == "20" || row["MOD"] == "21" {
			split[row["COM_AP"]] = true
		} else if row["COM_AV"] != row["COM_AP"] {
			becomes[row["COM_AV"]] = row["COM_AP"]
		}
	}
	return becomes, split
}

// readCSV gives the lines of a packed file by the names of its columns.
func readCSV(t *testing.T, path string) (rows []map[string]string) {
	t.Helper()
	lines := testkit.Must(csv.NewReader(readBox(t, path)).ReadAll())(t)
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func number(v *float64) string {
	if v == nil {
		return "null"
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}

// All that are ranked by a metric are of one period, which the answer names,
// and so is the figure for France next to them.
func TestRealRanksAreOfOneYear(t *testing.T) {
	d := realData(t)
	for level, all := range map[stats.Level][]*stats.Territory{stats.Commune: d.Communes, stats.Departement: d.Departements, stats.Region: d.Regions} {
		seen, ranked := map[string]string{}, 0
		for _, of := range all {
			gjson.Parse(blockOf(t, d, level, of.Code, "rankings")).ForEach(func(metric, rank gjson.Result) bool {
				if !rank.IsObject() || metric.Str == "definition" {
					return true
				}
				ranked++
				year, period, france := rank.Get("year").Raw, rank.Get("period").Raw, rank.Get("france.value").Raw
				key := year + " " + period + " " + france
				if was, there := seen[metric.Str]; there && was != key {
					t.Errorf("%s of %s %s is of %s, that of others of %s", metric.Str, level, of.Code, key, was)
				}
				if seen[metric.Str] = key; year == "" || year == "null" {
					t.Errorf("%s of %s %s has no year", metric.Str, level, of.Code)
				}
				return true
			})
		}
		if ranked == 0 {
			t.Errorf("no %s is ranked", level)
		}
	}
}
