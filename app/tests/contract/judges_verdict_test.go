package contract_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

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
	DoesNotApply []exemption `json:"doesNotApply"`
}

type exemption struct {
	Reason string   `json:"reason"`
	Judges []string `json:"judges"` // empty: all
	Checks []string `json:"checks"` // scenario/check
	used   map[string]bool
}

func readList(t *testing.T, folder string) *list {
	t.Helper()
	path := filepath.Join(folder, "expected.json")
	text, err := os.ReadFile(path)
	testkit.NoError(t, err)
	l := &list{}
	if err := json.Unmarshal(text, l); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	for i := range l.DoesNotApply {
		l.DoesNotApply[i].used = map[string]bool{}
	}
	return l
}

// reason is why a check cannot pass; empty: it has to.
func (l *list) reason(r result) string {
	for _, e := range l.DoesNotApply {
		name := r.scenario + "/" + r.check
		if slices.Contains(e.Checks, name) && (len(e.Judges) == 0 || slices.Contains(e.Judges, r.judge)) {
			e.used[name] = true
			return e.Reason
		}
	}
	return ""
}

// unused are the exemptions that no judge asked for.
func (l *list) unused() (names []string) {
	for _, e := range l.DoesNotApply {
		for _, name := range e.Checks {
			if !e.used[name] {
				names = append(names, name)
			}
		}
	}
	return names
}

// row is a scenario in the table.
type row struct {
	judge, scenario string
	passed, exempt  int
	reasons, faults []string
}

func (r *row) add(c result, reason string) {
	switch {
	case c.passed && reason != "":
		r.faults = append(r.faults, c.check+" passes: take it off the list")
	case c.passed:
		r.passed++
	case reason != "":
		r.exempt++
		if !slices.Contains(r.reasons, reason) {
			r.reasons = append(r.reasons, reason)
		}
	default:
		r.faults = append(r.faults, strings.TrimSpace(c.check+" "+c.message))
	}
}

// outcome is what the table says. Scenarios of which nothing is left
// but the shape of the answers do not apply.
func (r *row) outcome(l *list) string {
	switch {
	case len(r.faults) > 0:
		return "FAILED"
	case r.exempt == 0:
		return "passed"
	case slices.Contains(l.Applies[r.judge], r.scenario):
		return "passed, in part"
	}
	return "does not apply"
}

// report prints the table of every judge and scenario, and fails the
// test for whatever is not as the list says.
func (j *judges) report(t *testing.T) {
	t.Helper()
	table, faults := readList(t, j.folder).judge(j.results)
	t.Log("\n" + table)
	for _, fault := range faults {
		t.Error(fault)
	}
}

// judge holds results against the list.
func (l *list) judge(results []result) (table string, faults []string) {
	var rows []*row
	for _, r := range results {
		i := slices.IndexFunc(rows, func(x *row) bool { return x.judge == r.judge && x.scenario == r.scenario })
		if i < 0 {
			i, rows = len(rows), append(rows, &row{judge: r.judge, scenario: r.scenario})
		}
		rows[i].add(r, l.reason(r))
	}
	for _, r := range rows {
		for _, fault := range r.faults {
			faults = append(faults, r.judge+", "+r.scenario+": "+fault)
		}
	}
	return l.table(rows), append(faults, l.missing(rows)...)
}

func (l *list) table(rows []*row) string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "judge\tscenario\tverdict\tchecks passed\twhy not all")
	count := map[string]int{}
	for _, r := range rows {
		outcome := r.outcome(l)
		count[outcome]++
		why := slices.Clone(r.reasons)
		for _, fault := range r.faults {
			line, _, _ := strings.Cut(fault, "\n")
			why = append(why, line)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d of %d\t%s\n", r.judge, r.scenario, outcome, r.passed, r.passed+r.exempt+len(r.faults), strings.Join(why, "; "))
	}
	w.Flush()
	for _, outcome := range slices.Sorted(maps.Keys(count)) {
		fmt.Fprintf(&text, "%s: %d\n", outcome, count[outcome])
	}
	return text.String()
}

// missing are the scenarios that have to pass and did not come, and the exemptions of which there is no need.
func (l *list) missing(rows []*row) (faults []string) {
	for judge, scenarios := range l.Applies {
		for _, scenario := range scenarios {
			i := slices.IndexFunc(rows, func(r *row) bool { return r.judge == judge && r.scenario == scenario })
			if i < 0 || rows[i].passed == 0 {
				faults = append(faults, judge+", "+scenario+": nothing of it passed")
			}
		}
	}
	for _, name := range l.unused() {
		faults = append(faults, name+" is on the list of what does not apply, and no judge asked for it")
	}
	return faults
}

// The list lets pass what it names and nothing more: were it to, a fault of the server would hide behind it.
func TestJudgesList(t *testing.T) {
	t.Parallel()
	read := func() *list {
		return &list{Applies: map[string][]string{"a": {"lists", "calls"}}, DoesNotApply: []exemption{
			{Reason: "no prompts", Checks: []string{"prompts/get", "lists/prompts"}, used: map[string]bool{}}}}
	}
	good := []result{{"a", "lists", "tools", true, ""}, {"a", "lists", "prompts", false, "WARNING"},
		{"a", "calls", "call", true, ""}, {"a", "prompts", "get", false, "FAILURE"}}
	table, faults := read().judge(good)
	for _, want := range []string{"passed, in part: 1", "passed: 1", "does not apply: 1"} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in\n%s", want, table)
		}
	}
	if len(faults) > 0 {
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
		if _, faults := read().judge(results); len(faults) == 0 {
			t.Errorf("%s: no fault", name)
		}
	}
}
