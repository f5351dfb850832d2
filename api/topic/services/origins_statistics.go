package services

import (
	"fmt"

	"arpent/api/ingest/fetch"
	"arpent/api/source"
)

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
		return []fetch.Origin{{
			Evidence: fetch.None, Basis: "public source code (2020: not found in April 2026; 2023: BPE23.zip)", ReadOn: "2026-10",
			Note: "Its address is not known, or has gone. It can be given as " + name + "; facilities has a newer edition.",
		}}
	}
	o := source.InseeFile(3568629, name, "", of.basis)
	o.Bytes, o.Note = of.bytes, "An old address of its page, which may have gone."
	return []fetch.Origin{o}
}

// copyOrigins is for the files of third parties.
var copyOrigins = []fetch.Origin{{
	Evidence: fetch.None, Basis: "bpineau/gazetteer, JGravier/postdoc_services_publics", ReadOn: "2026-10",
	Note: "The copy of a third party is not fetched; facilities has a newer edition.",
}}
