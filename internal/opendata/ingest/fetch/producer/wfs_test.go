package producer_test

import (
	"fmt"
	"strings"
	"testing"

	"arpent/internal/opendata/ingest/fetch/producer"
)

// The pages of a layer are joined, and what a service answers in place of objects is an error.
func TestWFS(t *testing.T) {
	t.Parallel()
	const (
		ows  = "https://data.geopf.fr/wfs/ows?"
		ask  = "REQUEST=GetFeature&"
		end  = "SERVICE=WFS&SRSNAME=EPSG:4326&TYPENAMES=pat:znieff1&VERSION=2.0.0"
		hits = ows + ask + "RESULTTYPE=hits&SERVICE=WFS&TYPENAMES=pat:znieff1&VERSION=2.0.0"
		one  = ows + "COUNT=5000&OUTPUTFORMAT=application/json&" + ask + end
		two  = ows + "COUNT=5000&OUTPUTFORMAT=application/json&" + ask + "SERVICE=WFS&SRSNAME=EPSG:4326&STARTINDEX=2&TYPENAMES=pat:znieff1&VERSION=2.0.0"
		tail = `],"totalFeatures":3,"crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::4326"}}}`
		file = one + " as znieff1.geojson"
		ex   = `<?xml version="1.0"?><ows:ExceptionReport xmlns:ows="http://www.opengis.net/ows/1.1" version="2.0.0"><ows:Exception exceptionCode="x">` +
			`<ows:ExceptionText>Cannot do natural order without a primary key</ows:ExceptionText></ows:Exception></ows:ExceptionReport>`
	)
	count := func(n string) string {
		return `<?xml version="1.0"?><wfs:FeatureCollection xmlns:wfs="http://www.opengis.net/wfs/2.0" numberMatched="` + n + `" numberReturned="0"/>`
	}
	page := func(features ...string) string {
		return `{"type":"FeatureCollection","features":[` + strings.Join(features, ",") + tail
	}
	from := producer.WFS{Endpoint: "https://data.geopf.fr/wfs/ows", Layer: "pat:znieff1"}
	sorted := producer.WFS{Endpoint: "https://x.fr/?map=m", Layer: "pva", Sort: "date,id"}
	// A service that counts no further than 1 000 has more behind them.
	many := strings.TrimSuffix(strings.Repeat("{},", 1000), ",")
	behind := strings.Replace(two, "STARTINDEX=2", "STARTINDEX=1000", 1)
	last := strings.Replace(two, "STARTINDEX=2", "STARTINDEX=1002", 1)
	all := func(features string) string {
		return "{\"type\":\"FeatureCollection\",\"features\":[\n" + strings.ReplaceAll(features, ",", ",\n") + "\n]}\n"
	}
	runAll(t, []resolveCase{
		{name: "a round count with more behind it", from: from, want: file, written: all(many + ",{},{}"),
			answers: producers{hits: count("1000"), one: page(many), behind: page("{},{}"), last: page()}},
		{name: "a round count that is all", from: from, want: file, written: all(many),
			answers: producers{hits: count("1000"), one: page(many), behind: page()}},
		{name: "a round count with no further page", from: from, want: file, written: all(many),
			answers: producers{hits: count("1000"), one: page(many), behind: "400"}},
		{name: "pages shorter than asked", from: from, want: file,
			written: fmt.Sprintf("{\"type\":\"FeatureCollection\",\"features\":[\n%s,\n%s,\n%s\n]}\n", `{"id":1}`, `{"id":2}`, `{"id":3}`),
			answers: producers{hits: count("3"), one: page(`{"id":1}`, `{"id":2}`), two: page(`{"id":3}`)}},
		{name: "fewer objects than counted", from: from, err: "has 2 objects of 3", again: true,
			answers: producers{hits: count("3"), one: page(`{"id":1}`, `{"id":2}`), two: page()}},
		{name: "more objects than counted", from: from, err: "has 2 objects of 1", again: true,
			answers: producers{hits: count("1"), one: page(`{"id":1}`, `{"id":2}`)}},
		{name: "no count", from: from, want: file, written: "{\"type\":\"FeatureCollection\",\"features\":[\n{\"id\":1}\n]}\n",
			answers: producers{hits: count("unknown"), one: page(`{"id":1}`)}},
		{name: "nothing there", from: from, answers: producers{hits: count("0")}, err: "has no objects"},
		{name: "order and an address with parameters", from: sorted,
			want:    "https://x.fr/?map=m&COUNT=5000&OUTPUTFORMAT=application/json&REQUEST=GetFeature&SERVICE=WFS&SORTBY=date,id&SRSNAME=EPSG:4326&TYPENAMES=pva&VERSION=2.0.0 as pva.geojson",
			written: "{\"type\":\"FeatureCollection\",\"features\":[\n{}\n]}\n",
			answers: producers{"https://x.fr/?map=m&REQUEST=GetFeature&RESULTTYPE=hits&SERVICE=WFS&TYPENAMES=pva&VERSION=2.0.0": count("1"),
				"https://x.fr/?map=m&COUNT=5000&OUTPUTFORMAT=application/json&REQUEST=GetFeature&SERVICE=WFS&SORTBY=date,id&SRSNAME=EPSG:4326&TYPENAMES=pva&VERSION=2.0.0": page("{}")}},
		{name: "exception in place of the count", from: from, answers: producers{hits: ex}, err: "answers: Cannot do natural order"},
		{name: "page in place of the count", from: from, answers: producers{hits: "<html><body>Request Rejected</body></html>"},
			err: `answers with no count of objects: a page or message: "Request Rejected"`},
		{name: "exception in place of objects", from: from, answers: producers{hits: count("3"), one: page(`{"id":1}`, `{"id":2}`), two: ex},
			err: `answers with a page or message: "Cannot do natural order`},
		{name: "metres", from: from, err: "it is not in degrees but in ",
			answers: producers{hits: count("1"), one: strings.ReplaceAll(page("{}"), "4326", "2154")}},
		{name: "cut off", from: from, answers: producers{hits: count("2"), one: `{"features":[{"id":1}`}, err: "it was cut off", again: true},
	})
}
