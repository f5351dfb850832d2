package stats_test

import (
	"encoding/json"
	"math"
	"testing"

	"arpent/api/stats"
)

// All that are ranked by a metric are of one period, which the answer names, and so is the figure for France beside them.
func TestRealRanksAreOfOneYear(t *testing.T) {
	d := realData(t)
	type vintage struct {
		Year   *int
		Period string
		France json.RawMessage
	}
	for level, all := range map[stats.Level][]*stats.Territory{stats.Commune: d.Communes, stats.Departement: d.Departements, stats.Region: d.Regions} {
		seen, ranked := map[string]string{}, 0
		for _, of := range all {
			var metrics map[string]json.RawMessage
			if err := json.Unmarshal([]byte(blockOf(t, d, level, of.Code, "rankings")), &metrics); err != nil {
				t.Fatal(err)
			}
			for metric, text := range metrics {
				var v vintage
				if text[0] != '{' || metric == "definition" {
					continue
				}
				if err := json.Unmarshal(text, &v); err != nil {
					t.Fatal(err)
				}
				ranked++
				key, _ := json.Marshal([]any{v.Year, v.Period, value(t, v.France)})
				if was, there := seen[metric]; there && was != string(key) {
					t.Errorf("%s of %s %s is of %s, that of others of %s", metric, level, of.Code, key, was)
				}
				if seen[metric] = string(key); v.Year == nil {
					t.Errorf("%s of %s %s has no year", metric, level, of.Code)
				}
			}
		}
		if ranked == 0 {
			t.Errorf("no %s is ranked", level)
		}
	}
}

// value is the value of a figure for France; 0 where there is none.
func value(t *testing.T, france json.RawMessage) float64 {
	t.Helper()
	var v struct{ Value float64 }
	if err := json.Unmarshal(france, &v); err != nil {
		t.Fatal(err)
	}
	return v.Value
}

// The number of main residences is that of the census in the file of 2021, of merged communes together, and says so where the rest of the block is of another year.
func TestRealMainYear(t *testing.T) {
	d := realData(t)
	var file struct {
		Communes map[string]struct{ Rp *float64 }
	}
	readJSON(t, &file, "stats", "logement", "rp_vacance_communes_2021.json.gz")
	becomes, _ := movements(t)
	main := map[string]float64{}
	for code, row := range file.Communes {
		for d.Find(stats.Commune, code) == nil && becomes[code] != "" {
			code = becomes[code]
		}
		if row.Rp != nil {
			main[code] += *row.Rp
		}
	}
	older := 0
	for _, c := range d.Communes {
		var got *struct{ Year, Main, MainYear *int }
		if err := json.Unmarshal([]byte(blockOf(t, d, stats.Commune, c.Code, "logementRP")), &got); err != nil {
			t.Fatal(err)
		}
		if got == nil || got.MainYear == nil {
			continue
		}
		older++
		if got.Year == nil || got.Main == nil || *got.MainYear != 2021 || *got.Year <= *got.MainYear || *got.Main != int(math.Round(main[c.Code])) {
			block := blockOf(t, d, stats.Commune, c.Code, "logementRP")
			t.Errorf("%s has %s, the file of 2021 %g main residences", c.Code, block, main[c.Code])
		}
	}
	if older < 3000 {
		t.Errorf("%d communes have main residences of an older census, the audit counted 3651", older)
	}
}
