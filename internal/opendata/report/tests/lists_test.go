package report_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/report"
	"arpent/internal/opendata/topic"
)

// checkLengths asks for some of the drawn reports again, with lists of one item at most: the number of all is
// that of the items without the limit.
func checkLengths(t *testing.T, url string, drawn []drawnReport) {
	t.Helper()
	cut, shortened := storeOf(t, url, withLimit(t, 1)), map[string]bool{}
	for _, all := range drawn[:min(len(drawn), 40)] {
		idu := all.of.IDU
		few, err := cut.Report(t.Context(), all.of)
		testkit.NoError(t, err)
		for i, k := range topic.Report().Keys() {
			a, f := all.Lengths[i], few.Lengths[i]
			if (a == nil) != (f == nil) || (a != nil) != (len(all.Values[i]) > 0 && all.Values[i][0] == '[') {
				t.Fatalf("%s of %s: lengths %v and %v of %.100s", k.Name, idu, a, f, all.Values[i])
			}
			if a == nil {
				continue
			}
			if a.Total != f.Total || a.Truncated != (a.Total > a.Returned) || f.Truncated != (f.Total > f.Returned) {
				t.Errorf("%s of %s: %+v, with a limit of one %+v", k.Name, idu, *a, *f)
			}
			if items := itemsOf(t, all.Values[i]); a.Returned != len(items) {
				t.Errorf("%s of %s: %+v for %d items", k.Name, idu, *a, len(items))
			}
			shortened[k.Name] = shortened[k.Name] || f.Truncated
		}
	}
	maps.DeleteFunc(shortened, func(_ string, was bool) bool { return !was })
	t.Logf("%d keys were cut: %v", len(shortened), slices.Sorted(maps.Keys(shortened)))
	if len(shortened) < 12 {
		t.Errorf("only %d keys had more than one item", len(shortened))
	}
}

func storeOf(t *testing.T, url string, c *report.Catalogue) *report.Store {
	t.Helper()
	s, err := report.Open(t.Context(), report.Options{Catalogue: c, URL: url, Timeout: testkit.Timeout})
	testkit.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

// withLimit is the report with another limit of all lists.
func withLimit(t *testing.T, limit int) *report.Catalogue {
	t.Helper()
	var topics []report.Topic
	for _, one := range topic.All {
		if one.Report == nil {
			continue
		}
		of := one.Report()
		for i, q := range of.Queries {
			if q.Args["limit"] > 0 {
				of.Queries[i].Args = maps.Clone(q.Args)
				of.Queries[i].Args["limit"] = limit
			}
		}
		topics = append(topics, of)
	}
	c, err := report.NewCatalogue(topic.Sources(), topics)
	testkit.NoError(t, err)
	return c
}

func itemsOf(t *testing.T, list []byte) (items []json.RawMessage) {
	t.Helper()
	testkit.NoError(t, json.Unmarshal(list, &items))
	return items
}
