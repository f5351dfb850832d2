package risks

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

const georisquesFiles = "https://files.georisques.fr/"

// gasparOrigins is one archive of all tables of GASPAR.
var gasparOrigins = []fetch.Origin{{
	From: producer.At{Address: georisquesFiles + "GASPAR/gaspar.zip"}, Rhythm: "weekly", Evidence: fetch.Read,
	Basis: "bpineau/gazetteer, sources/catnat/transform.go; other public source code", ReadOn: "2026-10",
	Note: "The firewall of Géorisques rejects the addresses of some hosting companies, here and in its other files.",
}}

// planOrigins is one archive of the natural-risk plans of each département that has published some.
var planOrigins = []fetch.Origin{{
	From: producer.At{Address: georisquesFiles + "ppr/pprn_{departement}.zip"}, Area: fetch.Departement,
	Rhythm: "irregularly", Evidence: fetch.Read,
	Basis: "public source code", ReadOn: "2026-10",
	Note: "Read for one département. Not each has a file: plans that are not in it can be given one by one, 38DDT20180003.zip.",
}}

// floodOrigins is one archive of the maps of the flood directive in each département that has some.
var floodOrigins = []fetch.Origin{{
	From: producer.At{Address: georisquesFiles + "di_2020/tri_2020_sig_di_{departement}.zip"},
	Area: fetch.Departement, Rhythm: "irregularly",
	Evidence: fetch.Read, Basis: "public source code", ReadOn: "2026-10",
	Note: "A cycle of six years. Not each département has a file.",
}}

var floodMarkerOrigins = source.NotFetched("public source code",
	"The national platform has a site and no file or service. The layer of a département can be given as its DDT publishes it: Reperes_crue_DDT93.zip.")

// The file without a year in its name is the map of before 2026.
var clayOrigins = []fetch.Origin{{
	From: producer.At{Address: georisquesFiles + "argiles/{year}/AleaRG_{year}_Fxx_L93.zip"}, Bytes: 439_610_008,
	Rhythm: "irregularly", Evidence: fetch.Read, Basis: "public source code (edition of 2025)",
	ReadOn: "2026-10",
}, {
	From:   producer.At{Address: georisquesFiles + "argiles/{year}/AleaRG_{year}_{departement}_L93.zip"},
	Area:   fetch.Departement,
	Rhythm: "irregularly", Evidence: fetch.Read, Basis: "public source code (edition of 2025)",
	ReadOn: "2026-10",
}}

var radonOrigins = []fetch.Origin{{
	From:   producer.DataGouv{Dataset: "connaitre-le-potentiel-radon-de-ma-commune", File: `(?i)^radon\.csv$`},
	Rhythm: "once", Evidence: fetch.Read, Basis: "public source code", ReadOn: "2026-10",
}}

var seismicOrigins = []fetch.Origin{{
	From: producer.DataGouv{Dataset: "zonage-sismique-de-la-france-1",
		File: `(?i)^France_zonage_sismique\.zip$`},
	Bytes: 129_000_000, Rhythm: "once", Evidence: fetch.Read, Basis: "public source code", ReadOn: "2026-10",
}}

// An address of Géorisques ignores a parameter that it does not know, and answers with all of France.
var installationOrigins = []fetch.Origin{{
	From: producer.At{Address: "https://www.georisques.gouv.fr/api/v1/csv/installations_classees?departement={departement}"},
	As:   "icpe-{departement}.csv.zip", Area: fetch.Departement, Rhythm: "irregularly", Evidence: fetch.Read,
	Basis: "clombion/icpe-gironde; other public source code", ReadOn: "2026-10",
	Note: "Version 2 of this interface asks for a key.",
}}

var formerSiteOrigins = []fetch.Origin{{
	From: producer.At{Address: "https://mapsref.brgm.fr/wxs/georisques/georisques_dl?service=wfs&version=2.0.0&request=getfeature" +
		"&typename=etablissement_point&outputformat=csvtext"},
	As: "casias.csv", Rhythm: "irregularly", Evidence: fetch.Read, Basis: "public source code",
	ReadOn: "2026-10",
	Note:   "Without the sites that are drawn as areas, the layer etablissement_polygon.",
}, {
	From: producer.At{Address: "https://www.georisques.gouv.fr/webappReport/ws/infosols/casias/_search?isExport=true&codeDepartement={departement}"},
	As:   "casias-{departement}.csv", Area: fetch.Departement, Rhythm: "irregularly", Evidence: fetch.Read,
	Basis: "public source code (loader of the export by département)", ReadOn: "2026-10",
}}

var stateSiteOrigins = []fetch.Origin{{
	From:   producer.DataFair{Host: "data.ademe.fr", Dataset: "srd-ademe", Format: "geojson"},
	As:     "donnees-ademe-sites-pollues.geojson",
	Rhythm: "irregularly", Evidence: fetch.Derived,
	Basis: "public source code (as CSV); page data.ademe.fr/datasets/srd-ademe", ReadOn: "2026-10",
}}

const georisquesReport = "https://www.georisques.gouv.fr/webappReport/ws/"

// cavityOrigins are the two exports of a département: the records, and those filed by commune.
var cavityOrigins = []fetch.Origin{cavityOrigin("fiches.csv?", "cavite_{departement}.csv"),
	cavityOrigin("fichecommunes.csv", "cavites_communes_{departement}.csv")}

func cavityOrigin(export, as string) fetch.Origin {
	return fetch.Origin{
		From: producer.At{Address: georisquesReport + "cavites/departements/{departement}/" + export}, As: as,
		Area:   fetch.Departement,
		Rhythm: "irregularly", Evidence: fetch.Read, Basis: "public source code", ReadOn: "2026-10",
		Note: "75, 78, 91, 92, 93, 94 and 95 had none: those of the Paris region are in another register.",
	}
}

var movementOrigins = []fetch.Origin{{
	From: producer.At{Address: georisquesReport + "mvmt/departements/{departement}/fichecommunes.csv"},
	As:   "mvt_dptList_{departement}.csv", Area: fetch.Departement,
	Rhythm: "irregularly", Evidence: fetch.Read, Basis: "public source code", ReadOn: "2026-10",
}}
