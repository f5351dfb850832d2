package stats_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"arpent/api/stats"
)

// lineOf2026 is a commune, or a sector of one, of municipales-2026-t1-communes.jsonl.
type lineOf2026 struct {
	Code      string  `json:"codeCommune"`
	Sector    *string `json:"sectorCode"`
	Expressed int     `json:"exprimes"`
	Lists     []struct {
		Votes int `json:"voix"`
	} `json:"candidats"`
}

// municipalShares works the shares of all lists out again from the file: no commune whose votes are more than those expressed
// has any, as the 14 that the file has, and all others have the share of each list.
func municipalShares(t *testing.T, b *fixture, d *stats.Data) {
	overfull, served := 0, 0
	for _, line := range linesOf2026(t, b) {
		if d.Place(string(stats.Commune), line.Code) == nil {
			continue // merged since, or not of a département
		}
		var got struct {
			Municipal *stats2026
		}
		if err := json.Unmarshal([]byte(blockOf(t, d, stats.Commune, line.Code, "election")), &got); err != nil || got.Municipal == nil || got.Municipal.Expressed != line.Expressed {
			continue // merged or split since
		}
		votes, known, total := 0, 0, 0.0
		for _, l := range line.Lists {
			votes += l.Votes
		}
		for _, r := range got.Municipal.Results {
			if r.SharePct == nil {
				continue
			}
			known, total = known+1, total+*r.SharePct
			if want := 100 * float64(r.Votes) / float64(line.Expressed); math.Abs(want-*r.SharePct) > 0.00501 {
				t.Errorf("%s: %d votes of %d are %v %%, expected %.3f", line.Code, r.Votes, line.Expressed, *r.SharePct, want)
			}
		}
		switch {
		case votes > line.Expressed:
			if overfull++; known > 0 {
				t.Errorf("%s: %d votes of %d expressed, and %d shares", line.Code, votes, line.Expressed, known)
			}
		case line.Expressed > 0:
			if served++; known != len(got.Municipal.Results) || total > 100.01+0.005*float64(known) {
				t.Errorf("%s: %d shares of %d lists add up to %.2f %%", line.Code, known, len(got.Municipal.Results), total)
			}
		}
	}
	if overfull != 14 || served < 34_000 {
		t.Errorf("%d communes with too many votes, expected 14, and %d others", overfull, served)
	}
}

type stats2026 struct {
	Expressed int
	Results   []struct {
		Votes    int
		SharePct *float64
	}
}

func linesOf2026(t *testing.T, b *fixture) (out []lineOf2026) {
	t.Helper()
	f, err := os.Open(filepath.Join(b.data, "stats", "elections", "municipales-2026-t1-communes.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(unpacked)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var one lineOf2026
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		if one.Sector == nil {
			out = append(out, one)
		}
	}
	return out
}
