package water

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

var altitudeOrigins = []fetch.Origin{{
	From: producer.Geoplateforme{Product: "BDALTI", Format: "ASC", Edition: `_25M_`}, Area: fetch.Departement,
	Bytes:  30_000_000,
	Rhythm: "once", Evidence: fetch.Read, Basis: "public source code", ReadOn: "2026-10",
	Note: "Cells of 25 m. RGE ALTI has cells of 5 m and is read as well, but a département of it has 45 to 468 MB packed, 25 times as many cells: " +
		"RGEALTI_2-0_5M_ASC_LAMB93-IGN69_D005_2020-10-14.7z.",
}}

// soilOrigins is the box of the mainland, 35 MB, of a grid of the
// world. The service cuts off answers of 90 MB.
func soilOrigins(depth string, basis string) []fetch.Origin {
	const degrees = "http://www.opengis.net/def/crs/EPSG/0/4326"
	return []fetch.Origin{{
		From: producer.At{Address: "https://maps.isric.org/mapserv?map=/map/phh2o.map&SERVICE=WCS&VERSION=2.0.1&REQUEST=GetCoverage&COVERAGEID=phh2o_" +
			depth + "cm_mean&FORMAT=image/tiff&SUBSET=long(-5.6,9.8)&SUBSET=lat(41.2,51.3)&SUBSETTINGCRS=" + degrees +
			"&OUTPUTCRS=" + degrees},
		As: "phh2o_" + depth + "cm_mean_france.tif", Rhythm: "once", Evidence: fetch.Read, Basis: basis,
		ReadOn: "2026-10",
		Note:   "The mainland with Corsica.",
	}}
}

var coastOrigins = []fetch.Origin{{
	From: producer.WFS{Endpoint: "https://services.data.shom.fr/INSPIRE/wfs",
		Layer: "LIMTM_2154_WFS:limite_terre_mer_france_metropolitaine_ligne"},
	As: "limite-terre-mer.geojson", Rhythm: "once", Evidence: fetch.Read, Basis: "public source code",
	ReadOn: "2026-10",
	Note:   "The mainland with Corsica. Read for parts of the coast.",
}}

var massifOrigins = source.NotFetched("public source code",
	"No file of areas was found (zonage-montagne and services of massifs were looked for), only a list of the communes classed in 2022: "+
		"https://www.data.gouv.fr/datasets/communes-de-la-loi-montagne-au-code-officiel-geographique-cog-2020-2022. Areas can be given as massifs.geojson, "+
		"with the member massif.")

var stationOrigins = []fetch.Origin{{
	From: producer.At{Address: "https://naiades.eaufrance.fr/reports/reportsperyear/HB/Naiades_Export_France_Entiere_HB.zip"},
	As:   "naiades/stations_HB.zip", Rhythm: "irregularly", Evidence: fetch.Read, Basis: "public source code",
	ReadOn: "2026-10",
	Note:   "The export of hydrobiology, for its list of stations. Whether stations of other measurements are in it was not read.",
}}

// tapOrigins is one archive a year of all tables. The last twelve months begin in the one before.
var tapOrigins = []fetch.Origin{{
	From: producer.DataGouv{Dataset: "resultats-du-controle-sanitaire-de-leau-distribuee-commune-par-commune",
		File:   `(?i)^dis-20[0-9]{2}\.zip$`,
		Newest: 2},
	Rhythm: "monthly", Evidence: fetch.Read, Basis: "public source code", ReadOn: "2026-10",
}}
