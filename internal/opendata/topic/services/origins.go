package services

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// publicCode is the basis of an address that public source code uses.
const publicCode = "public source code"

// educationOrigins is a data set of the ministry, all years of it.
func educationOrigins(dataset, rhythm string, evidence fetch.Evidence, basis string) []fetch.Origin {
	return []fetch.Origin{{
		From:   producer.Opendatasoft{Host: "data.education.gouv.fr", Dataset: dataset, Format: "csv"},
		As:     "schools/" + dataset + ".csv",
		Rhythm: rhythm, Evidence: evidence, Basis: basis, ReadOn: "2026-10",
	}}
}

var finessPlusOrigins = []fetch.Origin{{
	From: producer.DataGouv{Dataset: "finess-structures-1", Resource: "cd493959-fb03-41e5-9347-0edd14dfbc22",
		File: `^finess-structures-journalier-20[0-9]{6}\.json\.gz$`},
	As: "finess/{served}", Bytes: 50_000_000, Rhythm: "daily", Evidence: fetch.Read,
	Basis: "public source code (resource, sizes; name)", ReadOn: "2026-10",
	Note: "715 MB unpacked. One structure in four has no position, and is left out.",
}}

var hospitalOrigins = []fetch.Origin{{
	From: producer.Opendatasoft{Host: "data.iledefrance.fr",
		Dataset: "les_etablissements_hospitaliers_franciliens", Format: "geojson"},
	As: "finess/hopitaux_idf_2014.geojson", OnDemand: true, Rhythm: "once", Evidence: fetch.Derived,
	Basis: "public source code; export by analogy", ReadOn: "2026-10",
	Note: "Île-de-France in 2014. finess-plus has the whole country.",
}}

// bpeOrigins: the page has kept its number since the edition of 2023.
var bpeOrigins = []fetch.Origin{{
	From:  producer.At{Address: "https://www.insee.fr/fr/statistiques/fichier/8217525/BPE{yy}.zip"},
	As:    "bpe/BPE{yy}.zip",
	Bytes: 142_884_474, Rhythm: "yearly", Evidence: fetch.Read, Basis: "public source code (size)",
	ReadOn: "2026-10",
	Note:   "1.5 GB unpacked.",
}}

// marketOrigins asks for one département at a time: an extract of the
// country is 5 GB, to be filtered by hand.
var marketOrigins = []fetch.Origin{{
	From: producer.Overpass{Key: "amenity", Value: "marketplace"},
	As:   "osm/osm-marketplaces-{departement}.geojson", Area: fetch.Departement,
	Rhythm: "daily", Evidence: fetch.Derived, Basis: "public source code (service); the query is ours",
	ReadOn: "2026-10",
	Note:   "A shared server.",
}}

// facilitiesOrigins: the address stays, and has the newest year.
func facilitiesOrigins() []fetch.Origin {
	o := source.InseeFile(8217527, "DS_BPE_CSV_FR.zip", "",
		"bpineau/gazetteer, sources/bpe/transform.go; TheSillas/HouseSearch, scripts/importer-insee.mjs")
	o.Rhythm, o.Bytes = "yearly", 14<<20
	return []fetch.Origin{o}
}

// copyOrigins is for the files of third parties.
var copyOrigins = source.NotFetched("bpineau/gazetteer, JGravier/postdoc_services_publics",
	"The copy of a third party is not fetched; facilities has a newer edition.")
