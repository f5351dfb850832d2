package parcels

import (
	"arpent/api/ingest/fetch"
	"arpent/api/ingest/fetch/producer"
	"arpent/api/source"
)

// etalabOrigins are the files of a layer of the cadastre, of a département and of a commune.
func etalabOrigins(layer string, departementBytes, communeBytes int64, evidence fetch.Evidence, basis string) []fetch.Origin {
	const edition = "https://cadastre.data.gouv.fr/data/etalab-cadastre/latest/geojson"
	origin := fetch.Origin{
		From: producer.At{Address: edition + "/departements/{departement}/cadastre-{departement}-" + layer + ".json.gz"}, Area: fetch.Departement,
		Bytes: departementBytes, Rhythm: "quarterly", Evidence: evidence, Basis: basis, ReadOn: "2026-10",
		Note: "Some weeks after the DGFiP publishes the plan.",
	}
	commune := origin
	commune.From = producer.At{Address: edition + "/communes/{departement}/{commune}/cadastre-{commune}-" + layer + ".json.gz"}
	commune.Area, commune.Bytes = fetch.Commune, communeBytes
	return []fetch.Origin{origin, commune}
}

var (
	parcelOrigins = etalabOrigins("parcelles", 54_000_000, 5_360_000, fetch.Read, "enarroied/cvi_geometry, test/CADASTRE/README.txt; other public source code")
	sheetOrigins  = etalabOrigins("feuilles", 0, 0, fetch.Derived, "public source code")
)

// edigeoOrigins: parcels and sheets are in the same files.
var edigeoOrigins = source.NotFetched("DoFabien/cadastre-vt, Download.md; page of the site; guides.data.gouv.fr, manipuler-les-donnees-du-cadastre; other public source code",
	"parcelles-etalab and feuilles-etalab have the same plan and are fetched. The sheets are at https://cadastre.data.gouv.fr/data/"+
		"dgfip-pci-vecteur/latest/edigeo/feuilles/<département>/<commune>/ and can be given under their names, edigeo-010010000A01.tar.bz2.")

var ignShapefileOrigins = []fetch.Origin{{
	From: producer.Geoplateforme{Product: "PARCELLAIRE-EXPRESS", Format: "SHP"}, Area: fetch.Departement, OnDemand: true,
	Rhythm: "quarterly", Evidence: fetch.Read, Basis: "public source code", ReadOn: "2026-10",
}}

var ignPackageOrigins = source.NotFetched("public source code",
	"No edition as a GeoPackage was found (1-1__GPKG, 1-2__ and the code of others were looked at): parcelles-ign-shp has the same. "+
		"One can be given under its name, PARCELLAIRE-EXPRESS_1-1__GPKG_LAMB93_D075_2024-07-01.gpkg.")
