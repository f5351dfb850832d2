package services

import (
	"fmt"

	"arpent/api/ingest/fetch"
	"arpent/api/ingest/fetch/producer"
	"arpent/api/source"
)

// publicCode is the basis of an address that public source code uses.
const publicCode = "public source code"

// educationOrigins is a data set of the ministry, all years of it.
func educationOrigins(dataset, rhythm string, evidence fetch.Evidence, basis string) []fetch.Origin {
	return []fetch.Origin{{
		From: producer.Opendatasoft{Host: "data.education.gouv.fr", Dataset: dataset, Format: "csv"}, As: "schools/" + dataset + ".csv",
		Rhythm: rhythm, Evidence: evidence, Basis: basis, ReadOn: "2026-10",
	}}
}

const finessBasis = "datagouv/datagouvfr_data_pipelines, sante/finess/config/dgv.json; other public source code (record of 2026-10-03; end)"

// finessOrigins is one file of structures and their places.
var finessOrigins = []fetch.Origin{{
	From: producer.DataGouv{Dataset: "53699569a3a729239d2046eb", Resource: "98f3161f-79ff-4f16-8f6a-6d571a80fea2",
		File: `^etalab-cs1100507-stock-20[0-9]{6}-[0-9]{4}\.csv$`},
	As: "finess/{served}", OnDemand: true, Bytes: 47_934_098, Rhythm: "once", Evidence: fetch.Read, Basis: finessBasis, ReadOn: "2026-10",
	Note: "As of 4 May 2026, the last one: finess-plus took its place.",
}}

var finessPlusOrigins = []fetch.Origin{{
	From: producer.DataGouv{Dataset: "finess-structures-1", Resource: "cd493959-fb03-41e5-9347-0edd14dfbc22",
		File: `^finess-structures-journalier-20[0-9]{6}\.json\.gz$`},
	As: "finess/{served}", Bytes: 50_000_000, Rhythm: "daily", Evidence: fetch.Read,
	Basis: "public source code (resource, sizes; name)", ReadOn: "2026-10",
	Note: "715 MB unpacked. One structure in four has no position, and is left out.",
}}

var hospitalOrigins = []fetch.Origin{{
	From: producer.Opendatasoft{Host: "data.iledefrance.fr", Dataset: "les_etablissements_hospitaliers_franciliens", Format: "geojson"},
	As:   "finess/hopitaux_idf_2014.geojson", OnDemand: true, Rhythm: "once", Evidence: fetch.Derived,
	Basis: "public source code; export by analogy", ReadOn: "2026-10",
	Note: "Île-de-France in 2014. finess-plus has the whole country.",
}}

// bpeOrigins: the page has kept its number since the edition of 2023.
var bpeOrigins = []fetch.Origin{{
	From: producer.At{Address: "https://www.insee.fr/fr/statistiques/fichier/8217525/BPE{yy}.zip"}, As: "bpe/BPE{yy}.zip",
	Bytes: 142_884_474, Rhythm: "yearly", Evidence: fetch.Read, Basis: "public source code (size)", ReadOn: "2026-10",
	Note: "1.5 GB unpacked.",
}}

// osmOrigins asks for one département at a time: an extract of the country is 5 GB, to be filtered by hand.
func osmOrigins(key, value, name string, onDemand bool) []fetch.Origin {
	return []fetch.Origin{{
		From: producer.Overpass{Key: key, Value: value}, As: "osm/" + name + "-{departement}.geojson", Area: fetch.Departement, OnDemand: onDemand,
		Rhythm: "daily", Evidence: fetch.Derived, Basis: "public source code (service); the query is ours", ReadOn: "2026-10",
		Note: "A shared server.",
	}}
}

// facilitiesOrigins: the address stays, and has the newest year.
func facilitiesOrigins() []fetch.Origin {
	o := source.InseeFile(8217527, "DS_BPE_CSV_FR.zip", "", "bpineau/gazetteer, sources/bpe/transform.go; TheSillas/HouseSearch, scripts/importer-insee.mjs")
	o.Rhythm, o.Bytes = "yearly", 14<<20
	return []fetch.Origin{o}
}

// formerFacilities are the lists of older editions, whose addresses may go when a new edition comes: that of 2020 did.
var formerFacilities = map[int]struct {
	bytes int64
	basis string
}{
	2018: {0, "public source code"},
	2019: {0, "public source code"},
	2021: {6_166_313, "InseeFrLab/DoReMIFaSol, data-raw/liste_donnees.json"},
}

func formerFacilitiesOrigins(edition int) []fetch.Origin {
	name := fmt.Sprintf("bpe%d_ensemble_csv.zip", edition%100)
	of, read := formerFacilities[edition]
	if !read {
		return source.NotFetched("public source code (2020: not found in April 2026; 2023: BPE23.zip)",
			"Its address is not known, or has gone. It can be given as "+name+"; facilities has a newer edition.")
	}
	o := source.InseeFile(3568629, name, "", of.basis)
	o.Bytes, o.Note = of.bytes, "An old address of its page, which may have gone."
	return []fetch.Origin{o}
}

// copyOrigins is for the files of third parties.
var copyOrigins = source.NotFetched("bpineau/gazetteer, JGravier/postdoc_services_publics",
	"The copy of a third party is not fetched; facilities has a newer edition.")
