package planning

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
)

var districtOrigins = []fetch.Origin{{
	From: producer.DataGouv{Dataset: "quartiers-prioritaires-de-la-politique-de-la-ville-qpv",
		Resource: "942d4ee8-8142-4556-8ea1-335537ce1119",
		File:     `(?i)^qpv?-?2024[^/]*\.(zip|geojson)$`},
	Bytes: 11_000_000, Rhythm: "irregularly", Evidence: fetch.Read, ReadOn: "2026-10",
	Basis: "bpineau/gazetteer, sources/qpv/transform.go; other public source code",
}}

// documentOrigins are the archives of the documents of a commune and of its intercommunality, which all
// layers are read from. A PSMV, which applies in addition to the plan, has a partition of its own.
var documentOrigins = []fetch.Origin{
	documentOrigin("partition=DU_{commune}", fetch.Commune, fetch.Read),
	documentOrigin("partition=DU_{grouping}", fetch.Grouping, fetch.Read),
	documentOrigin("partition=PSMV_{commune}", fetch.Commune, fetch.Derived),
	documentOrigin("partition=PSMV_{grouping}", fetch.Grouping, fetch.Derived),
}

func documentOrigin(query string, area fetch.Area, evidence fetch.Evidence) fetch.Origin {
	return fetch.Origin{
		From: producer.Urbanisme{Query: query}, Area: area, Extent: fetch.PlacesOnly, Bytes: 11_400_000,
		Rhythm:   "irregularly",
		Evidence: evidence, Basis: "public source code; GPU manual", ReadOn: "2026-10",
		Note: "One is given by hand under the name that the Géoportail gives it: 200057875_PLUI_20250917.zip.",
	}
}

// layerOrigins is a layer of all documents or of all easements, from the extraction of each week.
func layerOrigins(layer string, bytes int64) []fetch.Origin {
	return []fetch.Origin{{
		From: producer.UrbanismeLayer{Layer: layer}, Extent: fetch.FranceOnly, Bytes: bytes, Rhythm: "weekly",
		Evidence: fetch.Read,
		Basis:    "public source code; report on the extraction of 2026-08-29", ReadOn: "2026-11",
		Note: "For a département or a commune the archives are fetched; named, the layer is fetched all the same.",
	}}
}

// easementOrigins are the archives of all authorities for a département, as the Géoportail lists them.
var easementOrigins = []fetch.Origin{{
	From: producer.Urbanisme{Query: "documentType[]=SUP&grid={departement}", Withheld: true},
	Area: fetch.Departement, Extent: fetch.PlacesOnly, Rhythm: "irregularly",
	Evidence: fetch.Read, Basis: "public source code (read for Réunion)", ReadOn: "2026-11",
	Note: "Archives that their authority withholds (T5, PT1 and PT2 of most départements: status 403) are left out.",
}}

// noiseOrigins are four files, one a zone.
var noiseOrigins = []fetch.Origin{{
	From: producer.DataGouv{Dataset: "zonage-des-plan-dexposition-au-bruit-peb",
		File: `(?i)^c-dgac-peb-metro-z[a-d]\.geojson$`, Newest: producer.All},
	Rhythm: "once", Evidence: fetch.Read, Basis: "public source code", ReadOn: "2026-10",
	Note: "State of 2020, of the mainland, deposited by a user of data.gouv.fr. Its licence was not read.",
}}
