package fieldset_test

import (
	"strings"
	"testing"

	"arpent/api/fieldset"
)

// A part of a value that a caller asks for keeps what it would be misread without: of which dwellings and
// days a price is, which schools are counted, and that most votes are not at the centre where their mean is.
func TestPartsKeepWhatTheyAreOf(t *testing.T) {
	t.Parallel()
	const body = `{"enrichments":{"schools":{"year":2024,"byLevel":[{"total":59}],"note":"Only those with an index."},"dvfEstimate":{"medianPricePerM2":3194,"q1":2786,"periodFrom":"2022-01-03","periodTo":"2022-12-30","type":"Appartement"},` +
		`"politicalScore":{"year":2022,"value":0,"label":"centre","largestBloc":"left","confidence":1}},"states":{}}`
	for field, want := range map[string]string{
		"dvfEstimate.medianPricePerM2": `{"dvfEstimate":{"medianPricePerM2":3194,"periodFrom":"2022-01-03","periodTo":"2022-12-30","type":"Appartement"}}`,
		"schools.byLevel":              `{"schools":{"year":2024,"byLevel":[{"total":59}],"note":"Only those with an index."}}`,
		"politicalScore.label":         `{"politicalScore":{"year":2022,"label":"centre","largestBloc":"left"}}`,
	} {
		got, err := fieldset.Filter([]byte(body), "enrichments", []string{field}, func(string) string { return "" })
		if err != nil || string(got) != `{"enrichments":`+want+`,"states":{}}` {
			t.Errorf("%s: %s, %v", field, got, err)
		}
	}
}

// A caller who asks for a part of a value reads the year of that part, and why that part has no value: not
// the year and the states of others.
func TestPartsHaveTheirOwnYearAndStates(t *testing.T) {
	t.Parallel()
	const body = `{"stats":{"election":{"source":"m","year":2026,"presidential":{"year":2022},"legislative":{"year":2024},"european":null,"municipal":{"year":2026}},` +
		`"population":{"source":"births; census","year":2023,"latest":{"source":"census","year":2021},"density":3},` +
		`"demography":[{"year":2021,"naturalBalance":null}],"sources":{"population":{"source":"births; census","year":2023}}},` +
		`"states":{"election":1,"election.european":2,"election.presidential.round1.results.sharePct":3,"population":4,` +
		`"population.naturalPctPerYear":5,"demography":6,"demography.naturalBalance":7,"demography.birthRatePer1000":8}}`
	for fields, want := range map[string]string{
		"election.legislative": `{"stats":{"election":{"source":"m","year":2024,"legislative":{"year":2024}},"sources":{}},"states":{"election":1}}`,
		"election.legislative election.presidential election.european": `{"stats":{"election":{"source":"m","year":2024,"presidential":{"year":2022},` +
			`"legislative":{"year":2024},"european":null},"sources":{}},"states":{"election":1,"election.european":2,"election.presidential.round1.results.sharePct":3}}`,
		"population.latest":         `{"stats":{"population":{"source":"census","year":2021,"latest":{"source":"census","year":2021}},"sources":{"population":{"source":"census","year":2023}}},"states":{"population":4}}`,
		"population.density":        `{"stats":{"population":{"source":"births; census","year":2023,"density":3},"sources":{"population":{"source":"births; census","year":2023}}},"states":{"population":4}}`,
		"demography.naturalBalance": `{"stats":{"demography":[{"year":2021,"naturalBalance":null}],"sources":{}},"states":{"demography":6,"demography.naturalBalance":7}}`,
	} {
		got, err := fieldset.Filter([]byte(body), "stats", strings.Fields(fields), func(string) string { return "" })
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", fields, got, err)
		}
	}
}
