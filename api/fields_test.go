package api_test

import (
	"testing"

	"arpent/api"
)

// A part of a value that a caller asks for keeps what it would be misread without: of which dwellings and days a
// price is, and that most votes are not at the centre where their mean is.
func TestPartsKeepWhatTheyAreOf(t *testing.T) {
	t.Parallel()
	const body = `{"enrichments":{"dvfEstimate":{"medianPricePerM2":3194,"q1":2786,"periodFrom":"2022-01-03","periodTo":"2022-12-30","type":"Appartement"},` +
		`"politicalScore":{"year":2022,"value":0,"label":"centre","largestBloc":"left","confidence":1}},"states":{}}`
	for field, want := range map[string]string{
		"dvfEstimate.medianPricePerM2": `{"dvfEstimate":{"medianPricePerM2":3194,"periodFrom":"2022-01-03","periodTo":"2022-12-30","type":"Appartement"}}`,
		"politicalScore.label":         `{"politicalScore":{"year":2022,"label":"centre","largestBloc":"left"}}`,
	} {
		got, err := api.FilterBody([]byte(body), "enrichments", []string{field})
		if err != nil || string(got) != `{"enrichments":`+want+`,"states":{}}` {
			t.Errorf("%s: %s, %v", field, got, err)
		}
	}
}
