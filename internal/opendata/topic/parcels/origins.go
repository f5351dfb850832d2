package parcels

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
)

// etalabOrigins are the files of a layer of the cadastre, of a département and of a commune.
func etalabOrigins(layer string, departementBytes, communeBytes int64, evidence fetch.Evidence,
	basis string) []fetch.Origin {
	const edition = "https://cadastre.data.gouv.fr/data/etalab-cadastre/latest/geojson"
	origin := fetch.Origin{
		From: producer.At{Address: edition + "/departements/{departement}/cadastre-{departement}-" + layer +
			".json.gz"}, Area: fetch.Departement,
		Bytes: departementBytes, Rhythm: "quarterly", Evidence: evidence, Basis: basis, ReadOn: "2026-10",
		Note: "Some weeks after the DGFiP publishes the plan.",
	}
	commune := origin
	commune.From = producer.At{Address: edition + "/communes/{departement}/{commune}/cadastre-{commune}-" +
		layer + ".json.gz"}
	commune.Area, commune.Bytes = fetch.Commune, communeBytes
	return []fetch.Origin{origin, commune}
}

var (
	parcelOrigins = etalabOrigins("parcelles", 54_000_000, 5_360_000, fetch.Read,
		"enarroied/cvi_geometry, test/CADASTRE/README.txt; other public source code")
	sheetOrigins = etalabOrigins("feuilles", 0, 0, fetch.Derived, "public source code")
)

var ignOrigins = []fetch.Origin{{
	From: producer.Geoplateforme{Product: "PARCELLAIRE-EXPRESS", Format: "SHP"}, Area: fetch.Departement,
	OnDemand: true,
	Rhythm:   "quarterly", Evidence: fetch.Read, Basis: "public source code", ReadOn: "2026-10",
}}
