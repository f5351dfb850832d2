package report_test

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/topic"
	"arpent/web"
	"arpent/web/report"
)

// filledValue is a value of a type with something in every member: what a producer could give.
func filledValue(of reflect.Type) reflect.Value {
	v := reflect.New(of).Elem()
	switch of.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(of.Elem()))
		v.Elem().Set(filledValue(of.Elem()))
	case reflect.Slice:
		v.Set(reflect.Append(v, filledValue(of.Elem()), filledValue(of.Elem())))
	case reflect.Struct:
		for i := range of.NumField() {
			if of.Field(i).IsExported() {
				v.Field(i).Set(filledValue(of.Field(i).Type))
			}
		}
	case reflect.String:
		v.SetString("2024-05-06")
	case reflect.Int, reflect.Int64:
		v.SetInt(2)
	case reflect.Float64:
		v.SetFloat(2.5)
	case reflect.Bool:
		v.SetBool(true)
	}
	return v
}

// fullAnswer is a report in which every key of the catalogue has a value.
func fullAnswer(t *testing.T) []byte {
	t.Helper()
	values, states, lists := map[string]any{}, map[string]state.KeyState{}, map[string]map[string]int{}
	vintage := "2024"
	keys := []string{}
	for _, k := range topic.Report().Keys() {
		values[k.Name] = filledValue(reflect.TypeOf(k.Value)).Interface()
		states[k.Name] = state.KeyState{State: state.Value, Vintage: &vintage}
		if reflect.TypeOf(k.Value).Kind() == reflect.Slice {
			lists[k.Name] = map[string]int{"total": 2}
		}
		keys = append(keys, k.Name)
	}
	body, err := json.Marshal(map[string]any{"idu": "93010000AB0001", "enrichments": values, "states": states, "lists": lists,
		"sources": []map[string]any{{"producer": "IGN", "keys": keys}}})
	testkit.NoError(t, err)
	return body
}

// What a person reads is what the API answers: each line is of a key that there is, and says its value in
// words, with its source and its year, in both languages.
func TestEveryLineIsReadable(t *testing.T) {
	t.Parallel()
	r := testkit.Must(report.Read(fullAnswer(t)))(t)
	labels := map[web.Lang]map[string]string{}
	for _, l := range []web.Lang{web.French, web.English} {
		labels[l] = map[string]string{}
		for _, g := range r.Groups(l) {
			for _, line := range g.Lines {
				labels[l][line.Key] = line.Label
				if line.Text == "" || strings.ContainsAny(line.Text, "{}[]\"") || strings.Contains(line.Text, "<nil>") || strings.Contains(line.Text, ", ,") {
					t.Errorf("%s: %s is %q", l, line.Key, line.Text)
				}
				if strings.Contains(line.Text, "\u00a0: à ") || strings.Contains(line.Source, ";") {
					t.Errorf("%s: %s is %q, by %q", l, line.Key, line.Text, line.Source)
				}
				if line.Source != "IGN" || line.Year != "2024" {
					t.Errorf("%s: %s comes from %q, of %q", l, line.Key, line.Source, line.Year)
				}
			}
		}
		if missing := r.Missing(l); missing != nil {
			t.Errorf("%s: %v has no value", l, missing)
		}
	}
	if n := len(labels[web.French]); n < 20 || n != len(labels[web.English]) {
		t.Errorf("%d lines in French, %d in English: a key is none of the report's", n, len(labels[web.English]))
	}
}

// None here, not loaded here and not loaded for this place are three things: to take
// one for another would be a risk overlooked.
func TestReasonsAreApart(t *testing.T) {
	t.Parallel()
	for _, l := range []web.Lang{web.French, web.English} {
		said := map[string]state.State{}
		for _, m := range state.Meanings[1:] {
			body, err := json.Marshal(map[string]any{"states": map[string]state.KeyState{"radon": {State: m.State}}})
			testkit.NoError(t, err)
			r := testkit.Must(report.Read(body))(t)
			missing := r.Missing(l)
			if len(missing) != 1 || len(missing[0].Labels) != 1 || len(r.Groups(l)) != 1 || r.Groups(l)[0].Lines != nil {
				t.Fatalf("%s: %s is not said: %v", l, m.State, missing)
			}
			text := missing[0].Reason
			if other, taken := said[text]; taken || text == "" {
				t.Errorf("%s: %s reads %q, as %s does", l, m.State, text, other)
			}
			said[text] = m.State
		}
	}
}

// A reader who lives near the edge of what is loaded sees the sites that are known there, and that there may
// be more.
func TestKnownPartIsNamed(t *testing.T) {
	t.Parallel()
	r, err := report.Read([]byte(`{"states": {
		"pollutedSites": {"state": "not_covered", "known": {"value": [{"name": "GARAGE", "distanceM": 80}], "atLeast": 12, "completeWithinM": 300}},
		"nearestPharmacy": {"state": "not_covered", "known": {"value": {"name": "PHARMACIE", "distanceM": 450}}},
		"icpe": {"state": "not_covered", "known": {"value": [], "atLeast": 0, "completeWithinM": 300}}}}`))
	testkit.NoError(t, err)
	for l, want := range map[web.Lang]string{
		web.French: "Installations classées à moins d’un kilomètre; Anciens sites industriels à moins de 500\u00a0m " +
			"(d’après ce qui est chargé\u00a0: au moins 12, au plus près\u00a0: Garage, à 80\u00a0m); " +
			"Pharmacie (d’après ce qui est chargé\u00a0: Pharmacie, à 450\u00a0m)",
		web.English: "Classified installations within a kilometre; Former industrial sites within 500\u00a0m " +
			"(in what is loaded: at least 12; nearest: Garage, 80\u00a0m away); " +
			"Pharmacy (in what is loaded: Pharmacie, 450\u00a0m away)",
	} {
		missing := r.Missing(l)
		if len(missing) != 1 {
			t.Fatalf("%v", missing)
		}
		if got := strings.Join(missing[0].Labels, "; "); got != want {
			t.Errorf("%s", got)
		}
	}
}

// A reader of a part of the report sees there that values are missing: a risk that is not named would be
// taken for a risk that does not exist. One school is not some "among them".
func TestGroupsCountWhatIsMissing(t *testing.T) {
	t.Parallel()
	r, err := report.Read([]byte(`{"enrichments": {"radon": {"category": 1}, "schools": [{"name": "École Pasteur", "listedBy": "commune"}]},
		"lists": {"schools": {"total": 1}},
		"states": {"radon": {"state": "value"}, "schools": {"state": "value"}, "riskPlans": {"state": "not_loaded"}, "seisme": {"state": "none"},
			"dpe": {"state": "not_loaded"}}}`))
	testkit.NoError(t, err)
	groups := r.Groups(web.French)
	if len(groups) != 3 || groups[0].Title != "Risques" || groups[0].Absent != 2 || groups[1].Lines != nil || groups[2].Absent != 0 {
		t.Fatalf("%+v; want two values missing in Risques and none next to them", groups)
	}
	testkit.Want(t, groups[2].Lines[0].Text, "1 dans la commune\u00a0: École Pasteur", "one school reads")
	var page strings.Builder
	testkit.NoError(t, report.Card(web.French, r).Render(t.Context(), &page))
	for _, want := range []string{"<a href=\"#missing\">2\u00a0autres données manquent ici</a>", `<div id="missing">`,
		"Ventes et énergie\u00a0: 1\u00a0donnée manque ici", "(3)"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("%s is not in\n%s", want, page.String())
		}
	}
}

// The excerpt on the public page holds no single sale, which search engines must
// not index, and no more than a person reads.
func TestExcerptHoldsNoSale(t *testing.T) {
	t.Parallel()
	recorded := testkit.Must(os.ReadFile("../../api/recorded/answers/get_parcel_enrichments.json"))(t)
	for name, body := range map[string][]byte{"all keys": fullAnswer(t), "recorded": recorded} {
		r := testkit.Must(report.Read(body))(t)
		text := r.Excerpt()
		for _, sale := range []string{`"dvf"`, `"dvfNearby"`, `"priceEur"`, `"sales": [{`} {
			if strings.Contains(text, sale) {
				t.Errorf("%s: the excerpt holds %s", name, sale)
			}
		}
		expected := map[string]string{"all keys": `"dvfEstimate": {`, "recorded": `"radon": {`}[name]
		if !strings.Contains(text, expected) || len(text) > 8_000 {
			t.Errorf("%s: %d bytes\n%s", name, len(text), text)
		}
	}
}
