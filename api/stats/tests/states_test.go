package stats_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"arpent/api/state"
	"arpent/api/stats"
	"arpent/api/topic"
)

// statesOf are the states of the keys of a territory beside their values, as answers have them.
func statesOf(t testing.TB, body stats.Body) (states map[string]state.KeyState, values map[string]json.RawMessage) {
	t.Helper()
	var answer struct {
		Stats  map[string]json.RawMessage
		States map[string]state.KeyState
	}
	if err := json.Unmarshal([]byte(`{"stats":`+string(body.Append(nil))+`}`), &answer); err != nil {
		t.Fatal(err)
	}
	delete(answer.Stats, "sources")
	return answer.States, answer.Stats
}

// checkStates fails for a key without a state, and for a state that contradicts the value or says too little.
func checkStates(t testing.TB, what string, states map[string]state.KeyState, values map[string]json.RawMessage) {
	t.Helper()
	if got, want := slices.Sorted(maps.Keys(states)), slices.Sorted(maps.Keys(values)); !slices.Equal(got, want) {
		t.Fatalf("%s: states of %v, values of %v", what, got, want)
	}
	for key, s := range states {
		null, empty := string(values[key]) == "null", string(values[key]) == "[]"
		switch s.State {
		case state.Value:
			if null || empty || s.Reason != "" || s.Source != "" {
				t.Errorf("%s %s: %+v of %s", what, key, s, values[key])
			}
		case state.None, state.NotLoaded, state.NotCovered, state.Secret, state.NotApplicable:
			if !null && !(empty && s.State == state.None) || s.Reason == "" || (s.Source != "") != (s.State == state.NotLoaded) {
				t.Errorf("%s %s: %+v of %s", what, key, s, values[key])
			}
		default:
			t.Errorf("%s %s: %+v is no state", what, key, s)
		}
	}
}

// Of every territory of the real files, each key has a state that its value bears out. With -v the table of key by state is
// printed.
func TestRealStates(t *testing.T) {
	d := realData(t)
	served := snapshotOf(t, d)
	var table strings.Builder
	for _, level := range []stats.Level{stats.Commune, stats.Departement, stats.Region} {
		counts := map[string]map[string]int{}
		of := map[stats.Level][]*stats.Territory{stats.Commune: d.Communes, stats.Departement: d.Departements, stats.Region: d.Regions}
		for _, one := range of[level] {
			body, _ := served.Of(level, one.Code)
			states, values := statesOf(t, body)
			checkStates(t, string(level)+" "+one.Code, states, values)
			for key, s := range states {
				if counts[key] == nil {
					counts[key] = map[string]int{}
				}
				counts[key][string(s.State)]++
				if s.State != state.Value {
					counts[key]["  "+s.Reason+s.Source]++
				}
			}
		}
		for _, key := range topic.Statistics().Keys(level) {
			fmt.Fprintf(&table, "%-12s %-19s %v\n", level, key, counts[key])
		}
	}
	t.Log("\n" + table.String())
}
