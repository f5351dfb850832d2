package producer_test

import (
	"testing"

	"arpent/internal/opendata/ingest/fetch/producer"
)

// A file with two addresses arrives when one of them serves it.
func TestFirst(t *testing.T) {
	t.Parallel()
	const first, second = "https://data.laposte.fr/raw", "https://datanova.laposte.fr/postcodes.csv"
	from := producer.First{producer.At{Address: first}, producer.At{Address: second}}
	runAll(t, []resolveCase{
		{name: "the first", from: from, answers: producers{first: "#Code;x", second: "code,x"}, want: first + " bytes 7", asked: first},
		{name: "the second where the first is gone", from: from, answers: producers{second: "code,x"}, want: second + " bytes 6",
			asked: first + "\n" + second},
		{name: "the second where the first sends a page", from: from, answers: producers{first: "<html>", second: "code,x"},
			want: second + " bytes 6"},
		{name: "none", from: from, answers: producers{first: "403"}, err: "answers 403"},
	})
}
