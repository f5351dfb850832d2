package areas

import "arpent/api/ingest/fetch"

// cogOrigins is a file of the npm package, in its newest version: the one that is installed with the program is of the year the
// program was made in.
func cogOrigins(file string) []fetch.Origin {
	return []fetch.Origin{{
		From: fetch.At{Address: "https://unpkg.com/@etalab/decoupage-administratif@latest/data/" + file + ".json"}, As: "cog/" + file + ".json",
		Rhythm: "yearly", Evidence: fetch.Read, Basis: "stored texts 7538910138, 1447394742", ReadOn: "2026-10",
	}}
}

// contourOrigins is one file of all communes and arrondissements.
var contourOrigins = []fetch.Origin{{
	From: fetch.At{Address: "https://etalab-datasets.geo.data.gouv.fr/contours-administratifs/{year}/geojson/communes-5m.geojson.gz"},
	As:   "admin/communes-5m-{year}.geojson.gz", Bytes: 90_000_000, Rhythm: "yearly", Evidence: fetch.Read,
	Basis: "stored text 70151006859; datagouv/contours-administratifs, README.md", ReadOn: "2026-10",
	Note: "One reader gives its licence as ODbL, another as Licence Ouverte.",
}}
