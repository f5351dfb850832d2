package official_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/ingest/official"
	"arpent/internal/opendata/source"
)

// A header line is compared as the loader reads it: a producer that writes Windows-1252 where the
// declaration lets it has not changed its columns.
func TestCheckReadsTheHeaderAsItIsLoaded(t *testing.T) {
	t.Parallel()
	const header = "Code;Prénom de l’élu\n"
	windows := strings.NewReplacer("é", "\xe9", "’", "\x92").Replace(header)
	for name, tc := range map[string]struct {
		encoding, cell, served string
		want                   official.Verity
	}{
		"UTF-8":                         {"", "", header, official.AsDeclared},
		"Windows-1252, found out":       {"sniff", "", windows, official.AsDeclared},
		"UTF-8, found out":              {"sniff", "", header, official.AsDeclared},
		"Windows-1252, as declared":     {"cp1252", "", windows, official.AsDeclared},
		"Windows-1252 in UTF-8's stead": {"", "", windows, official.Differs},
		"another column":                {"sniff", "", strings.Replace(windows, "Pr", "Sur", 1), official.Differs},
		"below a line of labels":        {"", "Code", "the code;the name\n" + header, official.AsDeclared},
		"without the cell of a header":  {"", "INSEE", header, official.Differs},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.ServeContent(w, r, "", time.Time{}, strings.NewReader(tc.served))
			}))
			t.Cleanup(server.Close)
			client := testkit.Must(fetch.NewClient(fetch.Options{Mirror: server.URL}))(t)
			s := source.Source{Name: "mayors", Licence: source.LicenceOuverte, Files: []source.Files{{Path: `\.csv$`}},
				Origins: []fetch.Origin{{From: producer.At{Address: "https://a.fr/mayors.csv"}}},
				Read:    source.Read{Format: source.CSV, Encoding: tc.encoding, Separator: ";", HeaderCell: tc.cell},
				Columns: []source.Column{{Name: "first_name", From: []string{"Prénom de l’élu"}, Required: true}}}
			found, err := official.Catalogue{Sources: []source.Source{s}}.Check(t.Context(), client, official.Request{})
			if err != nil || len(found) != 1 || found[0].State != tc.want {
				t.Errorf("%+v, %v; expected %s", found, err, tc.want)
			}
		})
	}
}

// What is published for some départements is looked for in several before
// it is taken for gone, unless one was named.
func TestCheckLooksElsewhere(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		has   string // the département that has the file
		asked official.Request
		want  official.Verity
		saved string
	}{
		"where it was looked first": {has: "93", want: official.AsDeclared, saved: "caves-93.csv"},
		"elsewhere":                 {has: "38", want: official.AsDeclared, saved: "caves-38.csv"},
		"nowhere":                   {has: "99", want: official.Unreachable, saved: "caves-93.csv"},
		"one that was named":        {has: "38", asked: official.Request{Departements: []string{"93"}}, want: official.NotHere, saved: "caves-93.csv"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasSuffix(r.URL.Path, "/"+tc.has+".csv") {
					http.NotFound(w, r)
					return
				}
				http.ServeContent(w, r, "", time.Time{}, strings.NewReader("id\n1\n"))
			}))
			t.Cleanup(server.Close)
			client := testkit.Must(fetch.NewClient(fetch.Options{Mirror: server.URL}))(t)
			s := source.Source{Name: "caves", Licence: source.LicenceOuverte, Files: []source.Files{{Path: `^caves-.*\.csv$`}},
				Origins: []fetch.Origin{{From: producer.At{Address: "https://a.fr/{departement}.csv"}, As: "caves-{departement}.csv", Area: fetch.Departement}},
				Read:    source.Read{Format: source.CSV}, Columns: []source.Column{{Name: "id", Required: true}}}
			found, err := official.Catalogue{Sources: []source.Source{s}}.Check(t.Context(), client, tc.asked)
			if err != nil || len(found) != 1 || found[0].State != tc.want || found[0].Name != tc.saved {
				t.Errorf("%+v, %v; expected %s of %s", found, err, tc.want, tc.saved)
			}
		})
	}
}
