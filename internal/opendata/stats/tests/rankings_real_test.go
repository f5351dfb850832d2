package stats_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic"
	"arpent/internal/opendata/topic/rankings"
	"arpent/internal/opendata/topic/services"
)

// A rank that is null says whether its figure is loaded at all: where no territory of the level has one it is
// not loaded, and a source is named that would give it. An asker who reads "not for this place" goes on to
// ask for other places.
func TestRealRanksSayWhatIsNotLoaded(t *testing.T) {
	d := realData(t)
	ranked := map[string]int{}
	type absence struct{ where, metric string }
	states := map[absence]state.KeyState{}
	for level, all := range map[stats.Level][]*stats.Territory{stats.Commune: d.Communes[:50], stats.Departement: d.Departements,
		stats.Region: d.Regions} {
		for _, of := range all {
			body, _ := realSnapshot(t).Of(level, of.Code)
			keys, values := statesOf(t, body)
			for _, m := range topic.Statistics().Metrics() {
				rank := gjson.GetBytes(values["rankings"], m.Name)
				switch {
				case m.Of[level] == nil || !rank.Exists():
				case rank.Type != gjson.Null:
					ranked[string(level)+m.Name]++
				default:
					states[absence{string(level), m.Name + " of " + of.Code}] = keys["rankings."+m.Name]
				}
			}
		}
	}
	if len(ranked) < 15 || len(states) < 200 {
		t.Fatalf("%d metrics are ranked, %d ranks are null", len(ranked), len(states))
	}
	notLoaded := 0
	for of, s := range states {
		metric, _, _ := strings.Cut(of.metric, " ")
		want := state.NotCovered
		if ranked[of.where+metric] == 0 {
			want = state.NotLoaded
			notLoaded++
		} else if s.State == state.Secret && (metric == "medianIncome" || metric == "povertyRate") {
			want = state.Secret // of few inhabitants
		}
		if s.State != want || (s.Source != "") != (want == state.NotLoaded) || s.Reason == "" ||
			want == state.NotLoaded && s.Vintage != nil {
			t.Errorf("%s %s: %+v, want %s", of.where, of.metric, s, want)
		}
	}
	if notLoaded == 0 {
		t.Error("no rank is not loaded: the test compares nothing")
	}
}

// The ranks of the real files are those counted by hand in them. Populations:
// insee-population/donnees_communes.csv, column PMUN, 34 858 communes once the arrondissements of the three
// cities are put together. Median incomes: insee-rp/agg_dep.json, rev_med_21, 96 départements.
func TestRealRankings(t *testing.T) {
	d := realData(t)
	for _, want := range []struct {
		code                    string
		value                   float64
		national, of, near, all int
	}{
		{"75056", 2103778, 1, 34858, 1, 1},   // rows of 75101 to 75120
		{"13055", 886040, 2, 34858, 1, 119},  // rows of 13201 to 13216
		{"69123", 519127, 3, 34858, 1, 266},  // rows of 69381 to 69389
		{"31555", 514819, 4, 34858, 1, 586},  // row 11787
		{"2A004", 76320, 68, 34858, 1, 124},  // row 10531
		{"93010", 50595, 133, 34858, 13, 39}, // row 34526
		{"97411", 155634, 20, 34858, 1, 24},  // row 34888
		{"49023", 23989, 378, 34858, 5, 176}, // row 17508, a commune nouvelle of 2015
		{"50129", 78258, 63, 34858, 1, 445},  // row 17754, one of 2016
	} {
		var got rankings.CommuneRank
		testkit.NoError(t, json.Unmarshal([]byte(rankOf(t, d, stats.Commune, want.code, "population")), &got))
		if *got.Year != 2023 || got.Value != want.value || got.National.Rank != want.national || got.National.Of != want.of ||
			got.Departement.Rank != want.near || got.Departement.Of != want.all {
			t.Errorf("population of %s: %+v, %+v; expected %+v", want.code, got, got.Departement, want)
		}
	}
	for code, want := range map[string][2]int{"75": {28570, 1}, "69": {23190, 11}, "2A": {21900, 30}, "85": {21550, 41}, "93": {18070, 97}} { // FILO2019_DISP_DEP.csv
		var got rankings.Rank
		testkit.NoError(t, json.Unmarshal([]byte(rankOf(t, d, stats.Departement, code, "medianIncome")), &got))
		if got.Year == nil || *got.Year != 2019 || got.Value != float64(want[0]) || got.Rank != want[1] || got.Of != 98 {
			t.Errorf("median income of département %s: %+v, expected %v of 98", code, got, want)
		}
	}
	// cc_filosofi_2021_COM.csv, row 18: s, a secret.
	same(t, "median income of 01019", rankOf(t, d, stats.Commune, "01019", "medianIncome"), "null")
	// Four communes in five have no poverty rate: none is ranked.
	same(t, "poverty rate of Paris", rankOf(t, d, stats.Commune, "75056", "povertyRate"), "null")
	var best rankings.CommuneRank // row 155, the greatest of all
	if err := json.Unmarshal([]byte(rankOf(t, d, stats.Commune, "01180", "medianIncome")), &best); err != nil || best.Value != 55340 || best.National.Rank != 1 {
		t.Errorf("median income of 01180: %+v, %v", best, err)
	}
	count, total := map[int]int{}, 0
	for _, c := range d.Find(stats.Departement, "69").Children {
		var r rankings.CommuneRank
		testkit.NoError(t, json.Unmarshal([]byte(rankOf(t, d, stats.Commune, c.Code, "population")), &r))
		count[r.Departement.Rank]++
	}
	for rank := 1; rank <= 266; rank++ { // each rank is one and those before
		if count[rank] > 0 && total != rank-1 {
			t.Fatalf("%d communes of the Rhône are before rank %d", total, rank)
		}
		total += count[rank]
	}
	testkit.Want(t, total, 266, "communes of the Rhône are ranked, the file has 266")
}

// The stations are those of sncf/gares-de-voyageurs.csv: rows 784, 73, 3 and 310. The hospitals are an
// extract that covers Île-de-France only.
func TestRealServices(t *testing.T) {
	d := realData(t)
	for code, want := range map[string]struct {
		name, commune string
		lat, lon      float64
	}{
		"91216": {"Épinay-sur-Orge", "91216", 48.66952, 2.33182},
		"01180": {"Annemasse", "74012", 46.199222, 6.23652},
		"44001": {"Abbaretz", "44001", 47.554643, -1.524416},
		"93010": {"Bondy", "93010", 48.894208, 2.4786},
	} {
		var got services.NamedServices
		testkit.NoError(t, json.Unmarshal([]byte(blockOf(t, d, stats.Commune, code, "namedServices")), &got))
		if s := got.Station; s == nil || *s.Name != want.name || *s.CommuneCode != want.commune || s.Lat != want.lat || s.Lon != want.lon || s.HighSpeed != nil {
			t.Errorf("station of %s: %+v, expected %+v", code, s, want)
		}
		if nearParis := code == "91216" || code == "93010"; (got.Hospital != nil) != nearParis || got.School != nil || got.Supermarket != nil {
			t.Errorf("%s: %+v; hospitals are loaded for Île-de-France alone, the rest nowhere", code, got)
		}
	}
	var paris services.NamedServices
	testkit.NoError(t, json.Unmarshal([]byte(blockOf(t, d, stats.Commune, "75056", "namedServices")), &paris))
	if h := paris.Hospital; h == nil || *h.CommuneCode != "75056" || h.DistanceKm > 3 {
		t.Errorf("hospital of Paris: %+v", h)
	}
	// insee-bpe/bpe2013.csv, columns Établissement santé court, moyen and long séjour.
	for code, want := range map[string]string{"56260": "2 1 1", "17300": "2 2 0", "93010": "1 1 0"} {
		var got []string
		for _, stay := range []string{"Short", "Medium", "Long"} {
			got = append(got, blockOf(t, d, stats.Commune, code, "equipements.others.hospital"+stay+"Stay"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("hospitals of %s: %v, the file has %s", code, got, want)
		}
	}
	// The file has no station on La Réunion, on Corsica and on Mayotte.
	for _, code := range []string{"97411", "2A004", "97601"} {
		same(t, "services of "+code, blockOf(t, d, stats.Commune, code, "namedServices"), "null")
	}
}
