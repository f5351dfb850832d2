package report_test

import (
	"testing"
	"testing/fstest"

	"arpent/api/report"
)

// A new key comes after those that customers know, whether or not its topic lists an order.
func TestNewKeysComeLast(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"one.sql": {Data: []byte("SELECT 1")}}
	queries := []report.Query{{File: "one.sql", Keys: []report.Key{{Name: "new"}, {Name: "b"}, {Name: "a"}}}}
	for want, order := range map[string][]string{"abnew": {"a", "b"}, "newba": nil} {
		c, err := report.NewCatalogue([]report.Topic{{Files: files, Queries: queries, Order: order}})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, k := range c.Keys() {
			got += k.Name
		}
		if got != want {
			t.Errorf("the keys are %s, expected %s", got, want)
		}
	}
}
