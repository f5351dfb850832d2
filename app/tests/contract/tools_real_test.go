package contract_test

import (
	"net/http"
	"testing"

	"arpent/app/dev/fixture"
)

// answerSizes are calls of tools on the box, with the bytes that the whole answer may have.
var answerSizes = []struct {
	tool, arguments string
	maxBytes        int
}{
	{"search_address", `{"q":"12 allée des Roses, Bondy"}`, 4_000},
	{"get_commune", `{"code":"93010"}`, 8_000},
	{"get_commune", `{"code":"35238"}`, 8_000},
	{"get_commune", `{"code":"75056"}`, 8_000},
	{"get_commune", `{"code":"93010","fields":["population"]}`, 4_000},
	{"get_commune", `{"code":"93010","fields":["securite"]}`, 30_000},
	{"get_departement", `{"code":"93"}`, 10_000},
	{"get_departement", `{"code":"62"}`, 10_000},
	{"get_departement", `{"code":"93","fields":["securite"]}`, 12_000},
	{"get_region", `{"code":"11","fields":["securite"]}`, 12_000},
	{"get_departement", `{"code":"93","fields":["securite.timeline.burglary"]}`, 4_000},
	{"get_region", `{"code":"11"}`, 10_000},
	{"get_region", `{"code":"53"}`, 10_000},
	{"find_commune", `{"lat":48.9024,"lon":2.4834}`, 1_000},
	{"find_commune", `{"lat":48.9024,"lon":2.4834,"include":["stats"]}`, 8_000},
	{"list_communes", `{"departement":"62"}`, 25_000},
	{"list_communes", `{"departement":"93"}`, 3_000},
	{"list_departements", `{}`, 10_000},
	{"list_regions", `{}`, 3_000},
	{"list_regions", `{"sort":"population"}`, 3_000},
	{"get_parcel_at_point", `{"lat":48.9024,"lon":2.4834}`, 1_000},
	{"get_parcel", `{"idu":"930100000J0236"}`, 1_000},
	{"get_parcel_enrichments", `{"idu":"930100000J0236"}`, 8_000},
	{"get_parcel_enrichments", `{"idu":"930100000J0236","fields":["dvf","gpu"]}`, 7_000},
	{"get_parcel_enrichments", `{"idu":"930100000A0224"}`, 8_000}, // near the edge of what is loaded
}

// The answer of a tool leaves room for the question in the context of a model.
func sizesOfAnswers(t *testing.T, s *fixture.Service, key string) {
	s = s.For(t)
	for _, c := range answerSizes {
		a := call(s, key, c.tool, c.arguments, "Mcp-Protocol-Version", "2025-11-25")
		t.Logf("%6d bytes of %6d, %6d of them structured: %s %s", len(a.Body), c.maxBytes, len(a.Result.StructuredContent), c.tool, c.arguments)
		if a.Status != http.StatusOK || a.Result.IsError || len(a.Body) > c.maxBytes {
			t.Errorf("%s %s: %d, %d bytes: %.200s", c.tool, c.arguments, a.Status, len(a.Body), a.Body)
		}
	}
}
