package stats_test

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"arpent/api/stats"
	"arpent/app/dev/testkit"
)

// Each share of social housing of the file that belongs to a commune of today is served, with its year: also those of
// communes that were merged since 2018, which the file has under their new names. What a commune of today was made of
// after 2023 is null, because nobody has published its share.
func TestRealSocialHousing(t *testing.T) {
	d := realData(t)
	f, err := os.Open(filepath.Join(testkit.NationalData(t), "stats", "logement", "rpls_communes.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Communes map[string]struct {
			Label string
			Rate  float64 `json:"rate_pct"`
		}
	}
	if err := json.NewDecoder(unpacked).Decode(&file); err != nil {
		t.Fatal(err)
	}
	served, missing := 0, map[string]bool{}
	for code, row := range file.Communes {
		if d.Place(string(stats.Commune), code) == nil || row.Rate == 0 {
			continue
		}
		var got *struct {
			Social *struct {
				Year *int
				Rate *float64 `json:"ratePct"`
			} `json:"socialHousing"`
		}
		if err := json.Unmarshal([]byte(blockOf(t, d, stats.Commune, code, "logementRP")), &got); err != nil {
			t.Fatal(err)
		}
		switch {
		case got == nil || got.Social == nil:
			missing[code] = true
		case *got.Social.Rate != row.Rate || got.Social.Year == nil || *got.Social.Year != 2024:
			t.Errorf("%s %s is %+v, the file has %v", code, row.Label, *got.Social, row.Rate)
		default:
			served++
		}
	}
	for _, code := range []string{"91228", "01033", "85001"} { // merged in 2019 and 2022
		if missing[code] {
			t.Errorf("%s has no share", code)
		}
	}
	if t.Logf("%d shares are served, %d are not: %v", served, len(missing), missing); served < 16_223 || len(missing) > 42 {
		t.Error("too many shares are missing")
	}
}
