package areas

import (
	"arpent/api/ingest/fetch"
	"arpent/api/ingest/fetch/producer"
)

// cogOrigins is a file of the npm package, in its newest version: the one that is installed with the program is of the year the
// program was made in.
func cogOrigins(file string) []fetch.Origin {
	return []fetch.Origin{{
		From: producer.At{Address: "https://unpkg.com/@etalab/decoupage-administratif@latest/data/" + file + ".json"}, As: "cog/" + file + ".json",
		Rhythm: "yearly", Evidence: fetch.Read, Basis: "datagouv/decoupage-administratif, README.md; other public source code", ReadOn: "2026-10",
	}}
}

// contourOrigins is one file of all communes and arrondissements.
var contourOrigins = []fetch.Origin{{
	From: producer.At{Address: "https://etalab-datasets.geo.data.gouv.fr/contours-administratifs/{year}/geojson/communes-5m.geojson.gz"},
	As:   "admin/communes-5m-{year}.geojson.gz", Bytes: 90_000_000, Rhythm: "yearly", Evidence: fetch.Read,
	Basis: "datagouv/contours-administratifs, README.md; other public source code", ReadOn: "2026-10",
	Note: "One reader gives its licence as ODbL, another as Licence Ouverte.",
}}
