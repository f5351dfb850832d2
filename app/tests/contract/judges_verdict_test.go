package contract_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
)

// result is one check of one scenario of a judge.
type result struct {
	judge, scenario, check string
	passed                 bool
	message                string
}

// list is the file that says what is expected of the judges.
type list struct {
	// Applies names the scenarios that must pass, for each judge that runs
	// whether or not they apply to a server.
	Applies map[string][]string `json:"applies"`
	// DoesNotApply names checks that cannot pass here.
	DoesNotApply []struct {
		Reason string   `json:"reason"`
		Judges []string `json:"judges"` // empty: all
		Checks []string `json:"checks"` // scenario/check
	} `json:"doesNotApply"`
}

func readList(t *testing.T, folder string) (l list) {
	t.Helper()
	path := filepath.Join(folder, "expected.json")
	text := testkit.Must(os.ReadFile(path))(t)
	if err := json.Unmarshal(text, &l); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return l
}

// findExemption returns the place in the list of the reason why a check cannot pass; -1: it has to.
func (l list) findExemption(r result) int {
	for i, e := range l.DoesNotApply {
		if slices.Contains(e.Checks, r.scenario+"/"+r.check) && (len(e.Judges) == 0 || slices.Contains(e.Judges, r.judge)) {
			return i
		}
	}
	return -1
}

// report prints how many checks of each judge passed, and fails the test for whatever is not as the list
// says.
func (j *judges) report(t *testing.T) {
	t.Helper()
	passed, all := map[string]int{}, map[string]int{}
	for _, r := range j.results {
		if all[r.judge]++; r.passed {
			passed[r.judge]++
		}
	}
	for _, judge := range slices.Sorted(maps.Keys(all)) {
		t.Logf("%s: %d of %d checks passed", judge, passed[judge], all[judge])
	}
	for _, fault := range readList(t, j.folder).findFaults(j.results) {
		t.Error(fault)
	}
}

// findFaults compares results with the list: what it names does not pass and all else does, what has to pass
// and what is exempt is among the results.
func (l list) findFaults(results []result) (faults []string) {
	passed, exempt := map[string]bool{}, map[string]bool{}
	for _, r := range results {
		at, reason := r.judge+", "+r.scenario, l.findExemption(r)
		switch {
		case r.passed && reason >= 0:
			faults = append(faults, at+": "+r.check+" passes: take it off the list")
		case r.passed:
			passed[at] = true
		case reason < 0:
			faults = append(faults, at+": "+strings.TrimSpace(r.check+" "+r.message))
		}
		exempt[strconv.Itoa(reason)+r.scenario+"/"+r.check] = true
	}
	for judge, scenarios := range l.Applies {
		for _, scenario := range scenarios {
			if !passed[judge+", "+scenario] {
				faults = append(faults, judge+", "+scenario+": nothing of it passed")
			}
		}
	}
	for i, e := range l.DoesNotApply {
		for _, name := range e.Checks {
			if !exempt[strconv.Itoa(i)+name] {
				faults = append(faults, name+" is on the list of what does not apply, and no judge asked for it")
			}
		}
	}
	return faults
}

// The list lets pass what it names and nothing more: were it to, a fault of the server would hide behind it.
func TestJudgesList(t *testing.T) {
	t.Parallel()
	var l list
	testkit.NoError(t, json.Unmarshal([]byte(`{"applies": {"a": ["lists", "calls"]},
		"doesNotApply": [{"reason": "no prompts", "checks": ["prompts/get", "lists/prompts"]}]}`), &l))
	good := []result{{"a", "lists", "tools", true, ""}, {"a", "lists", "prompts", false, "WARNING"},
		{"a", "calls", "call", true, ""}, {"a", "prompts", "get", false, "FAILURE"}}
	if faults := l.findFaults(good); len(faults) > 0 {
		t.Errorf("faults %q, want none", faults)
	}
	for name, results := range map[string][]result{
		"a check fails":            append(slices.Clone(good), result{"a", "calls", "error", false, "FAILURE"}),
		"an unknown one fails":     append(slices.Clone(good), result{"a", "news", "new", false, "SKIPPED"}),
		"a listed one passes":      append(slices.Clone(good[:3]), result{"a", "prompts", "get", true, ""}),
		"a listed one is missing":  good[:3],
		"an expected one is gone":  slices.Delete(slices.Clone(good), 2, 3),
		"a judge brings no result": nil,
	} {
		if faults := l.findFaults(results); len(faults) == 0 {
			t.Errorf("%s: no fault", name)
		}
	}
}
