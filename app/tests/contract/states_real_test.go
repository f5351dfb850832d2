package contract_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"arpent/api/parcel"
	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/state"
)

// statesOfReports asks for the reports of n parcels that are loaded: each key has a state, and none
// contradicts its value. The example of the first page is the one of most keys.
func statesOfReports(t *testing.T, s *fixture.Service, ask func(string) (int, map[string]any), n int) {
	rows, err := s.Pool.Query(t.Context(), "SELECT idu FROM geo.parcelle ORDER BY md5(idu) LIMIT $1", n)
	testkit.NoError(t, err)
	idus := testkit.Must(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
	counts := map[string]int{}
	best, example, valued := map[string]keyCount{}, 0, map[string]bool{} // the first by commune
	for _, idu := range append([]string{parcel.ExampleIDU}, idus...) {
		status, report := ask("/parcelles/" + idu + "/enrichments")
		values, _ := report["enrichments"].(map[string]any)
		states, _ := report["states"].(map[string]any)
		if status != 200 || len(values) == 0 || len(values) != len(states) {
			t.Errorf("%s: %d with %d keys and %d states", idu, status, len(values), len(states))
			continue
		}
		known := 0
		for key, value := range values {
			state, _ := states[key].(map[string]any)
			if value != nil && state["state"] == "value" {
				known++
				valued[key] = true
			}
			if !bears(value, state) {
				t.Errorf("%s: %s is %v with state %v", idu, key, value, state)
			}
			text, _ := state["state"].(string)
			counts[text]++
		}
		if known > best[idu[:5]].keys {
			best[idu[:5]] = keyCount{idu, known}
		}
		if idu == parcel.ExampleIDU {
			example = known
			if address, _ := values["address"].(map[string]any); address["match"] != "inside" {
				t.Errorf("the address of %s is %v", idu, address)
			}
		}
	}
	page := testkit.NewBrowser(t, s.Base).Get("/docs/report?lang=en")
	for key := range valued {
		if text := page.Find("#" + key).Text(); !strings.HasPrefix(strings.TrimSpace(text), key) || strings.Contains(text, "not loaded here") {
			t.Errorf("the documentation says of %s, which parcels have: %q", key, text)
		}
	}
	t.Logf("%d reports, keys by state: %v; most keys with a value: %v", len(idus), counts, best)
	for _, c := range best {
		if c.keys > example {
			t.Errorf("%s has %d keys with a value, the example of the first page, %s, %d", c.idu, c.keys, parcel.ExampleIDU, example)
		}
	}
}

// statesOfNullParts asks by name for every part of statistics that is null: each has a state, its own or that
// of what it is in. Where the département has what a commune lacks, the state says so.
func statesOfNullParts(t *testing.T, ask func(string) (int, map[string]any)) {
	asked := 0
	for _, path := range []string{"/communes/93010", "/communes/75056", "/communes/36174", "/communes/97411",
		"/departements/93", "/departements/2A", "/regions/11", "/regions/06"} {
		_, whole := ask(path + "?include=stats")
		parts := nullParts("", whole["stats"])
		for some := range slices.Chunk(parts, 50) {
			status, answer := ask(path + "?fields=" + strings.Join(some, ","))
			states, _ := answer["states"].(map[string]any)
			if status != 200 {
				t.Errorf("%s: %d %v", path, status, answer)
			}
			for _, part := range some {
				asked++
				known := false
				for name := part; name != "" && !known; name = name[:max(0, strings.LastIndexByte(name, '.'))] {
					one, _ := states[name].(map[string]any)
					known = one != nil && one["state"] != "value" && one["reason"] != nil
				}
				if !known {
					t.Errorf("%s: %s is null without a state", path, part)
				}
			}
		}
	}
	if asked < 100 {
		t.Errorf("%d parts are null: the test compares nothing", asked)
	}
	const round = "election.presidential.round2"
	for path, want := range map[string]string{
		"/communes/93010?fields=" + round:                             "Its département has it: 93 with fields=" + round + ".",
		"/communes/93010?fields=" + round + ".results.LEPEN.sharePct": "Its département has it: 93 with fields=" + round + ".results.LEPEN.sharePct.",
		"/communes/93010?fields=securite.burglary.ratePer1000":        "Its département has it: one series is securite.burglary in fields",
		"/communes/97411?fields=securite":                             "Its région has it: one series is securite.burglary in fields",
	} {
		_, answer := ask(path)
		if text := fmt.Sprint(answer["states"]); !strings.Contains(text, want) {
			t.Errorf("%s: %s, want %q", path, text, want)
		}
	}
}

// statesOfWithheldRates asks the list of each département for the poverty rates of its communes: those that the
// producer withholds are secret, and so are they in a list of few, and in the answer on one of them. A caller
// would else take them for communes that no file has.
func statesOfWithheldRates(t *testing.T, s *fixture.Service, ask func(string) (int, map[string]any)) {
	rows, err := s.Pool.Query(t.Context(), `SELECT k.departement_code, count(*)::float8, min(k.code), max(k.code)
		FROM geo.stat_value v JOIN geo.commune k USING (code) WHERE k.type = 'commune-actuelle' AND v.level = 'commune'
		AND measure = 'income.povertyRate' AND status = 'secret' AND NOT EXISTS (SELECT FROM geo.stat_value m
			WHERE m.level = v.level AND m.code = v.code AND m.measure = 'income.median' AND m.period = v.period
			AND m.status IN ('merged', 'split')) GROUP BY 1`)
	testkit.NoError(t, err)
	total := 0.0
	var departement, first, last string
	var want float64
	_, err = pgx.ForEachRow(rows, []any{&departement, &want, &first, &last}, func() error {
		const rate = "fields=revenus.povertyRate"
		_, list := ask("/communes?" + rate + "&departement=" + departement)
		got := 0.0
		absent, _ := list["absent"].([]any)
		for _, one := range absent {
			if one := one.(map[string]any); one["state"] == "secret" {
				got += one["count"].(float64)
			}
		}
		if total += got; got < want {
			t.Errorf("%s: %v rates are secret, want %v and more: %.200s", departement, got, want, fmt.Sprint(absent))
		}
		for _, path := range []string{"/communes?codes=" + first + "," + last + "&" + rate, "/communes/" + first + "?" + rate} {
			if _, few := ask(path); !strings.Contains(fmt.Sprint(few["states"]), "state:secret") {
				t.Errorf("%s: the states are %v", path, few["states"])
			}
		}
		return nil
	})
	if testkit.NoError(t, err); total < 30000 {
		t.Errorf("%v rates are secret", total)
	}
	// A secret median, and a commune that the files do not list.
	_, mixed := ask("/communes?codes=26274,97601&fields=revenus.medianIncome")
	if text := fmt.Sprint(mixed["absent"]); !strings.Contains(text, "state:secret") || !strings.Contains(text, "state:not_covered") || !strings.Contains(text, "reason:The loaded files do not list this place") {
		t.Errorf("of two communes that lack a figure for different reasons: %s", text)
	}
}

// nullParts lists the paths of the members of objects in statistics that are null, without the keys.
func nullParts(path string, value any) (parts []string) {
	object, _ := value.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		switch {
		case path == "" && name == "sources":
		case path == "":
			parts = append(parts, nullParts(name, object[name])...)
		case object[name] == nil:
			parts = append(parts, path+"."+name)
		default:
			parts = append(parts, nullParts(path+"."+name, object[name])...)
		}
	}
	return parts
}

// keyCount is a parcel, and how many keys of its report have a value.
type keyCount struct {
	idu  string
	keys int
}

// bears reports whether a value is what its state says.
func bears(value any, given map[string]any) bool {
	list, isList := value.([]any)
	reason, _ := given["reason"].(string)
	source, _ := given["source"].(string)
	switch given["state"] {
	case "value":
		return value != nil && (!isList || len(list) > 0) && (reason == "" || reason == state.SurfacesOnly ||
			strings.HasPrefix(reason, state.RulesNotRead) || strings.HasPrefix(reason, state.SalesOfAPeriod)) && source == ""
	case "none":
		return (value == nil || isList && len(list) == 0) && reason != "" && source == ""
	case "not_loaded":
		return value == nil && reason != "" && source != ""
	case "not_covered", "not_applicable":
		return value == nil && reason != "" && source == ""
	default:
		return false
	}
}
