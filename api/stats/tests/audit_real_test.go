package stats_test

import (
	"encoding/json"
	"slices"
	"testing"

	"arpent/api/stats"
)

// No list of stations has those of Corsica: each of its communes says that nobody looked, and no other one does.
func TestRealStationsOfCorsica(t *testing.T) {
	d := realData(t)
	said := 0
	for _, c := range d.Communes {
		if c.Parent == nil {
			continue
		}
		var got *struct{ NotCovered []string }
		if err := json.Unmarshal([]byte(blockOf(t, d, stats.Commune, c.Code, "namedServices")), &got); err != nil {
			t.Fatal(err)
		}
		corsica := c.Parent.Code == "2A" || c.Parent.Code == "2B"
		if got == nil {
			continue
		}
		if told := slices.Contains(got.NotCovered, "station"); told != corsica {
			t.Errorf("%s says %v to be not covered", c.Code, got.NotCovered)
		} else if told {
			said++
		}
	}
	if said != 360 {
		t.Errorf("%d communes of Corsica say that their stations are not known, expected 360", said)
	}
}
