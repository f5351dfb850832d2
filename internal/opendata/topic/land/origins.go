package land

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
)

// geoplateforme is IGN's service of layers.
const geoplateforme = "https://data.geopf.fr/wfs/ows"

// parcelOrigins is one archive, in volumes, of the parcels and of those of them that are organic.
var parcelOrigins = []fetch.Origin{{
	From: producer.Geoplateforme{Product: "RPG", Format: "GPKG", Edition: `_FXX_`}, Rhythm: "yearly",
	Evidence: fetch.Read,
	Basis:    "fiboa/cli, fiboa_cli/datasets/fr.py; other public source code", ReadOn: "2026-10",
	Note: "The mainland with Corsica. Five volumes in 2026; unpacked it has some 40 GB, of which 7 GB are read.",
}}

var organicOrigins = []fetch.Origin{{
	From: producer.DataGouv{Dataset: "parcelles-en-agriculture-biologique-ab-declarees-a-la-pac",
		File: `(?i)^rpg-bio-20[0-9]{2}(-national)?(\.shp)?\.zip$`},
	Rhythm: "yearly", Evidence: fetch.Read, Basis: "public source code", ReadOn: "2026-10",
	Note: "Shapefiles; editions in other formats are not read.",
}}

var wineOrigins = []fetch.Origin{{
	From: producer.DataGouv{Dataset: "delimitation-parcellaire-des-aoc-viticoles-de-linao",
		File: `(?i)delim-parcellaire-aoc-shp\.zip$`},
	Rhythm: "irregularly", Evidence: fetch.Read, Basis: "public source code", ReadOn: "2026-10",
	Note: "Several editions a year.",
}}

var landCoverOrigins = []fetch.Origin{{
	From:   producer.DataGouv{Dataset: "corine-land-cover-edition-2018-france-metropolitaine", File: `(?i)gpkg`},
	As:     "CLC18_FR.gpkg",
	Rhythm: "once", Evidence: fetch.Derived, Basis: "public source code (the page, not the address of the file)",
	ReadOn: "2026-10",
}}

var forestOrigins = []fetch.Origin{{
	From:   producer.Geoplateforme{Product: "BDFORET", Format: "SHP", Edition: `^BDFORET_2-0_`},
	Area:   fetch.Departement,
	Rhythm: "once", Evidence: fetch.Read, Basis: "public source code", ReadOn: "2026-10",
	Note: "Each département has an edition of its own, of 2014 to 2017.",
}}
