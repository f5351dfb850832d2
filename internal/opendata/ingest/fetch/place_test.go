package fetch_test

import (
	"testing"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
)

// A file is saved under the name that its declaration reads, whatever the server calls
// it, and never elsewhere than below its host.
func TestNames(t *testing.T) {
	t.Parallel()
	seine := fetch.Place{Departement: "93", Commune: "93010"}
	for _, c := range []struct {
		as     string
		remote fetch.Remote
		place  fetch.Place
		want   string
	}{
		{"", fetch.Remote{Address: "https://a.fr/x/full.csv.gz?token=1"}, seine, "a.fr/full.csv.gz"},
		{"", fetch.Remote{Address: "https://A.fr:443/x/Liste%20des%20qpv.zip"}, seine, "a.fr/Liste des qpv.zip"},
		{"", fetch.Remote{Address: "https://a.fr/x", Served: "qpv.zip"}, seine, "a.fr/qpv.zip"},
		{"{year}/departements/{departement}.csv.gz", fetch.Remote{Address: "https://a.fr/x", Fields: map[string]string{"year": "2025"}}, seine, "a.fr/2025/departements/93.csv.gz"},
		{"dpe-{departement:3}-{commune}-{served}", fetch.Remote{Address: "https://a.fr/lines"}, seine, "a.fr/dpe-093-93010-lines"},
		{"{departement:3}.csv", fetch.Remote{Address: "https://a.fr/x"}, fetch.Place{Departement: "2A"}, "a.fr/02A.csv"},
		{"{departement}.csv", fetch.Remote{Address: "https://a.fr/x", Fields: map[string]string{"departement": "75"}}, fetch.Place{}, "a.fr/75.csv"},
		{"{departement}-{year}.csv", fetch.Remote{Address: "https://a.fr/x"}, fetch.Place{}, "a.fr/{departement}-{year}.csv"},
		{"x/{served}", fetch.Remote{Address: "https://a.fr/x", Served: "../../../etc/passwd"}, seine, "a.fr/x/passwd"},
		{"x-{served}", fetch.Remote{Address: "https://a.fr/x", Served: ".."}, seine, "a.fr/x-"},
		{"{year}/x.csv", fetch.Remote{Address: "https://a.fr/x", Fields: map[string]string{"year": "../2025"}}, seine, "a.fr/2025/x.csv"},
	} {
		if got := (fetch.Origin{As: c.as}).Path(c.remote, c.place); got != c.want {
			t.Errorf("%q: %s, want %s", c.as, got, c.want)
		}
	}
}

// A place is fetched from the origin whose files are just of such an area, and never as
// all of France where a smaller one is there.
func TestChosen(t *testing.T) {
	t.Parallel()
	of := func(areas ...fetch.Area) (all []fetch.Origin) {
		for _, a := range areas {
			all = append(all, fetch.Origin{From: producer.At{}, Area: a})
		}
		return all
	}
	france, departement, commune := fetch.Place{}, fetch.Place{Departement: "93"}, fetch.Place{Departement: "93", Commune: "93010"}
	for _, c := range []struct {
		origins []fetch.Origin
		place   fetch.Place
		want    []fetch.Area
	}{
		{of(fetch.France, fetch.Departement, fetch.Commune), france, []fetch.Area{fetch.France}},
		{of(fetch.France, fetch.Departement, fetch.Commune), departement, []fetch.Area{fetch.Departement}},
		{of(fetch.France, fetch.Departement, fetch.Commune), commune, []fetch.Area{fetch.Commune}},
		{of(fetch.France, fetch.Departement, fetch.France), commune, []fetch.Area{fetch.Departement}},
		{of(fetch.Grouping, fetch.France, fetch.Commune), commune, []fetch.Area{fetch.Grouping, fetch.Commune}},
		{of(fetch.Grouping), departement, []fetch.Area{fetch.Grouping}},
		{of(fetch.Commune, fetch.Departement), france, []fetch.Area{fetch.Departement}},
		{of(fetch.France, fetch.France), departement, []fetch.Area{fetch.France, fetch.France}},
		{[]fetch.Origin{{Area: fetch.France}}, france, nil},
	} {
		got := fetch.Chosen(c.origins, c.place)
		ok := len(got) == len(c.want)
		for i := range min(len(got), len(c.want)) {
			ok = ok && got[i].Area == c.want[i]
		}
		if !ok {
			t.Errorf("%+v: %+v, want %v", c.place, got, c.want)
		}
	}
}
