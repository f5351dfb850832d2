package finances

import (
	"strings"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
)

// exportedYears is how many accounting years are fetched.
const exportedYears = 5

// exportOrigins are those of a consolidated base, one a year, of the aggregates and columns that are read.
// code is the column of the code of the territory.
func exportOrigins(plural, code string, evidence fetch.Evidence, basis string) []fetch.Origin {
	var labels []string
	for _, a := range accounts {
		labels = append(labels, `"`+a.Label+`"`)
		if rest, is := strings.CutPrefix(a.Label, "E"); is { // some editions have its accent
			labels = append(labels, `"É`+rest+`"`)
		}
	}
	dataset := "ofgl-base-" + plural + "-consolidee"
	return []fetch.Origin{{
		From: producer.Opendatasoft{
			Host: "data.ofgl.fr", Dataset: dataset, Format: "csv", Select: "exer," + code +
				",siren,agregat,montant,ptot",
			Where: "year(exer)={year} AND agregat IN (" + strings.Join(labels, ", ") + ")", Years: exportedYears,
		},
		As: dataset + "_{year}.csv", Rhythm: "yearly", Evidence: evidence, Basis: basis, ReadOn: "2026-10",
	}}
}
