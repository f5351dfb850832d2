package stats_test

import (
	"encoding/json"
	"regexp"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic"
	"arpent/internal/opendata/topic/safety"
)

// Figures read by hand in the files are what is served. Rows are counted from 1 with the header; of the JSON
// file they are the places in "records", from 0.
func TestRealSafety(t *testing.T) {
	d := realData(t)
	for _, c := range []struct {
		level     stats.Level
		code, key string
		want      string
	}{
		// delinquance-departements-2016-2025.json: records 9064, 10074 (75), 4977 (2A), 16158 (974).
		{stats.Departement, "75", "securite", `{"key":"burglary","label":"Cambriolages de logement","unit":"infraction","count":7078,"ratePer1000":5.0589,"denominator":"dwellings","base":null,"allDepartementsRatePer1000":5.639,"disclosed":true}`},
		// Its twelve départements together.
		{stats.Region, "84", "securite", `"key":"burglary","label":"Cambriolages de logement","unit":"infraction","count":29999,"ratePer1000":6.422,"denominator":"dwellings","base":null,"allDepartementsRatePer1000":5.639,"disclosed":true}`},
		{stats.Departement, "75", "securite", `{"year":2025,"key":"vehicleTheft","count":3664,"ratePer1000":1.7416,"denominator":"inhabitants","base":2103778}`},
		{stats.Departement, "2A", "securite", `{"year":2025,"key":"sexualViolence","count":197,"ratePer1000":1.1705,"denominator":"inhabitants","base":168306}`},
		{stats.Departement, "974", "securite", `{"year":2025,"key":"drugUseOther","count":1058,"ratePer1000":1.1892,"denominator":"inhabitants","base":889679}`},
		// The ten kinds of 75 in 2025, records 3004 to 13104: 171 897 for 2 103 778
		// inhabitants (of 2A 3 846 for 168 306).
		{stats.Departement, "75", "crimeRate", "81.71"}, {stats.Departement, "2A", "crimeRate", "22.85"},
		// The file of régions ends in 2023: their départements have 2025. Of 2A and 2B together 8 117 for
		// 355 486, of 974 24 980 for 889 679.
		{stats.Region, "94", "crimeRate", "22.83"}, {stats.Region, "04", "crimeRate", "28.08"},
		// No file at hand has a figure of these; the one of rates filled with averages is never read.
		{stats.Commune, "75056", "securite", "null"}, {stats.Commune, "69123", "securite", "null"}, {stats.Commune, "01004", "securite", "null"},
	} {
		hasParts(t, c.key+" of "+c.code, blockOf(t, d, c.level, c.code, c.key), c.want)
	}
	const filled = "ssmsi/delinquance_communes_2024_taux.json.gz"
	for _, s := range topic.Sources() {
		for _, f := range s.Files {
			if regexp.MustCompile(f.Path).MatchString(filled) {
				t.Errorf("source %s takes %s, whose undisclosed figures were filled", s.Name, filled)
			}
		}
	}
}

// Every number of the file of départements is served for three of them.
func TestRealSafetyIsTheFile(t *testing.T) {
	d := realData(t)
	labels := map[string]string{}
	for _, o := range safety.Offences(safety.Safety2025) {
		labels[o.Label] = o.Key
	}
	type entry struct {
		code, key string
		year      int
	}
	served := map[entry]int{}
	for _, code := range []string{"75", "2A", "974"} {
		var block struct{ Timeline []safety.SafetyYear }
		testkit.NoError(t, json.Unmarshal([]byte(blockOf(t, d, stats.Departement, code, "securite")), &block))
		for _, y := range block.Timeline {
			served[entry{code, y.Key, y.Year}] = *y.Count
		}
	}
	compared := 0
	for _, r := range safetyRecords(t) {
		if r.Code != "75" && r.Code != "2A" && r.Code != "974" {
			continue
		}
		compared++
		if got, has := served[entry{r.Code, labels[r.Label], r.Year}]; !has || got != r.Count {
			t.Errorf("%s of %s in %d is served as %d (%v); the file says %d", r.Label, r.Code, r.Year, got, has, r.Count)
		}
	}
	if compared != 540 || len(served) != 540 {
		t.Errorf("%d numbers of the file and %d served; expected 18 kinds, 10 years and 3 départements: 540", compared, len(served))
	}
}

type safetyRecord struct {
	Code  string `json:"codeDepartement"`
	Year  int    `json:"annee"`
	Label string `json:"indicateur"`
	Count int    `json:"nombre"`
}

func safetyRecords(t *testing.T) []safetyRecord {
	t.Helper()
	var all struct{ Records []safetyRecord }
	readJSON(t, "ssmsi/delinquance-departements-2016-2025.json.gz", &all)
	return all.Records
}
