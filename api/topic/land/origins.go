package land

import (
	"arpent/api/ingest/fetch"
	"arpent/api/ingest/fetch/producer"
	"arpent/api/source"
)

// geoplateforme is IGN's service of layers.
const geoplateforme = "https://data.geopf.fr/wfs/ows"

// montpellier is the folder of one city's files. They are extracts of what national files have.
const montpellier = "https://data.montpellier3m.fr/sites/default/files/ressources/"

func montpellierOrigins(file string) []fetch.Origin {
	return []fetch.Origin{{
		From: producer.At{Address: montpellier + file}, OnDemand: true, Rhythm: "irregularly", Evidence: fetch.Derived,
		Basis: "public source code (the folder), the catalogue of the city (the name)", ReadOn: "2026-10",
	}}
}

// parcelOrigins is one archive, in volumes, of the parcels and of those of them that are organic.
var parcelOrigins = []fetch.Origin{{
	From: producer.Geoplateforme{Product: "RPG", Format: "GPKG", Edition: `_FXX_`}, Rhythm: "yearly", Evidence: fetch.Read,
	Basis: "fiboa/cli, fiboa_cli/datasets/fr.py; other public source code", ReadOn: "2026-10",
	Note: "The mainland with Corsica. Five volumes in 2026; unpacked it has some 40 GB, of which 7 GB are read.",
}}

var organicOrigins = []fetch.Origin{{
	From: producer.DataGouv{Dataset: "parcelles-en-agriculture-biologique-ab-declarees-a-la-pac",
		File: `(?i)^rpg-bio-20[0-9]{2}(-national)?(\.shp)?\.zip$`},
	Rhythm: "yearly", Evidence: fetch.Read, Basis: "public source code", ReadOn: "2026-10",
	Note: "Shapefiles; editions in other formats are not read.",
}}

var wineOrigins = []fetch.Origin{{
	From:   producer.DataGouv{Dataset: "delimitation-parcellaire-des-aoc-viticoles-de-linao", File: `(?i)delim-parcellaire-aoc-shp\.zip$`},
	Rhythm: "irregularly", Evidence: fetch.Read, Basis: "public source code", ReadOn: "2026-10",
	Note: "Several editions a year.",
}}

var wineLayerOrigins = []fetch.Origin{{
	From: producer.WFS{Endpoint: geoplateforme, Layer: "AOC-VITICOLES:aire_parcellaire"}, As: "aoc-viticoles.geojson", OnDemand: true,
	Rhythm: "irregularly", Evidence: fetch.Read, Basis: "public source code", ReadOn: "2026-10",
}}

var landCoverOrigins = []fetch.Origin{{
	From: producer.DataGouv{Dataset: "corine-land-cover-edition-2018-france-metropolitaine", File: `(?i)gpkg`}, As: "CLC18_FR.gpkg",
	Rhythm: "once", Evidence: fetch.Derived, Basis: "public source code (the page, not the address of the file)", ReadOn: "2026-10",
}}

var landCoverShapefileOrigins = source.NotFetched("public source code",
	"On an FTP server of IGN with a password. clc-2018 has the same; an archive can be given as CLC18_SHP__FRA_2019-08-21.7z.")

var forestOrigins = []fetch.Origin{{
	From: producer.Geoplateforme{Product: "BDFORET", Format: "SHP", Edition: `^BDFORET_2-0_`}, Area: fetch.Departement,
	Rhythm: "once", Evidence: fetch.Read, Basis: "public source code", ReadOn: "2026-10",
	Note: "Each département has an edition of its own, of 2014 to 2017.",
}}

// protectedOrigins is a layer of PatriNat, of all territories.
func protectedOrigins(p protection) []fetch.Origin {
	return []fetch.Origin{{
		From: producer.WFS{Endpoint: geoplateforme, Layer: p.served}, As: p.servedFile() + ".geojson",
		Rhythm: "half-yearly", Evidence: p.evidence, Basis: "public source code", ReadOn: "2026-10",
	}}
}

// formerProtectedOrigins: the site of the INPN is closed, and its files with it.
func formerProtectedOrigins(p protection) []fetch.Origin {
	return source.NotFetched("public source code",
		"https://inpn.mnhn.fr/docs/Shape is closed. "+p.source()+"-wfs has the same areas and is fetched; load one of the two.")
}
