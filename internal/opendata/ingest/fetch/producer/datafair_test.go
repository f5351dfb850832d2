package producer_test

import (
	"strings"
	"testing"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
)

// The pages of a dataset are joined to one file with one header, and a portal
// that stops giving pages does not go unseen.
func TestDataFair(t *testing.T) {
	t.Parallel()
	const (
		api    = "https://data.ademe.fr/data-fair/api/v1/datasets/dpe"
		count  = api + "/lines?dep_eq=93&size=0"
		first  = api + "/lines?dep_eq=93&format=csv&select=a,b&size=10000"
		second = api + "/lines?after=2"
		third  = api + "/lines?after=3"
		set    = `{"id":"dpe","dataUpdatedAt":"2026-10-01T02:00:00Z"}`
		header = "\uFEFFa,b\n"
		one    = "Link: <" + second + ">; rel=next\n" + header + "1,\"x\ny\"\n2,z\n"
		two    = "Link: <" + api + "/lines?before=2>; rel=prev, </data-fair/api/v1/datasets/dpe/lines?after=3>; rel=\"next\"\n" + header + "3,t"
		file   = first + " as dpe.csv of 2026-10-01T02:00:00Z"
		shapes = api + "/lines?format=geojson&size=10000"
		total  = api + "/lines?size=0"
	)
	from := producer.DataFair{Host: "data.ademe.fr", Dataset: "dpe", Select: "a,b", Filter: "dep_eq={departement}", Format: "csv"}
	sites := producer.DataFair{Host: "data.ademe.fr", Dataset: "dpe", Format: "geojson"}
	place := fetch.Place{Departement: "93"}
	many := strings.Repeat("1,2\n", 1000)
	page2 := api + "/lines?dep_eq=93&format=csv&page=2&select=a,b&size=10000"
	runAll(t, []resolveCase{
		{name: "a round number of lines with more behind them", from: from, place: place, want: file, written: "a,b\n" + many + "3,4\n",
			answers: producers{api: set, count: `{"total":1000}`, first: header + many, page2: header + "3,4\n"}},
		{name: "a round number of lines that are all", from: from, place: place, want: file, written: "a,b\n" + many,
			answers: producers{api: set, count: `{"total":1000}`, first: header + many, page2: header}},
		{name: "a round number of lines with no further page", from: from, place: place, want: file, written: "a,b\n" + many,
			answers: producers{api: set, count: `{"total":1000}`, first: header + many}},
		{name: "pages, the last of them empty", from: from, place: place, want: file, written: "a,b\n1,\"x\ny\"\n2,z\n3,t\n",
			answers: producers{api: set, count: `{"total":3,"results":[]}`, first: one, second: two, third: "Link: <" + third + ">; rel=next\n" + header}},
		{name: "a page behind one without an end of line", from: from, place: place, want: file, written: "a,b\n1,\"x\ny\"\n2,z\n3,t\n4,u\n",
			answers: producers{api: set, count: `{"total":4}`, first: one, second: two, third: "a,b\r\n4,u\n"}},
		{name: "pages that stop", from: from, place: place, err: "has 2 lines of 3", again: true,
			answers: producers{api: set, count: `{"total":3}`, first: strings.SplitN(one, "\n", 2)[1]}},
		{name: "a portal that does not count", from: from, place: place, want: file, written: "a,b\n5,6\n",
			answers: producers{api: set, count: `{"results":[]}`, first: header + "5,6\n"}},
		{name: "other columns", from: from, place: place, err: `a page has the columns "c,d" in place of "a,b"`,
			answers: producers{api: set, count: `{"total":3}`, first: one, second: "c,d\n3,t\n"}},
		{name: "a page that is not one", from: from, place: place, err: "after 2 lines: " + "https://data.ademe.fr/data-fair/api/v1/datasets/dpe/lines?after=2 answers with a page",
			answers: producers{api: set, count: `{"total":3}`, first: one, second: "<html>Bad gateway</html>"}},
		{name: "department without lines", from: from, place: place, answers: producers{api: set, count: `{"total":0}`}, nothing: true, err: "has no lines where dep_eq=93"},
		{name: "shapes", from: sites, want: shapes + " as dpe.geojson of 2026-10-01T02:00:00Z",
			written: `{"type":"FeatureCollection","features":[` + "\n" + `{"a":1},` + "\n" + `{"a":2}` + "\n]}\n",
			answers: producers{api: set, total: `{"total":2}`, shapes: "Link: <" + second + ">; rel=next\n" + `{"type":"FeatureCollection","total":2,"features":[{"a":1}]}`,
				second: `{"type":"FeatureCollection","features":[{"a":2}],"bbox":[1]}`}},
		{name: "shapes cut off", from: sites, err: "it was cut off", again: true,
			answers: producers{api: set, total: `{"total":2}`, shapes: `{"type":"FeatureCollection","features":[{"a":1},`}},
		{name: "an error in place of shapes", from: sites, err: "it has no features", answers: producers{api: set, total: `{"total":2}`, shapes: `{"message":"down"}`}},
		{name: "dataset gone", from: from, place: place, err: api + " answers 404"},
	})
}
