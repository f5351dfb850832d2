package risks

import "arpent/api/ingest/fetch"

const georisquesFiles = "https://files.georisques.fr/"

// gasparOrigins is one archive of all tables of GASPAR.
var gasparOrigins = []fetch.Origin{{
	From: fetch.At{Address: georisquesFiles + "GASPAR/gaspar.zip"}, Rhythm: "weekly", Evidence: fetch.Read,
	Basis: "stored texts 71488409294, 52448387923; bpineau/gazetteer, sources/catnat/transform.go", ReadOn: "2026-10",
	Note: "The firewall of Géorisques rejects the addresses of some hosting companies, here and in its other files.",
}}

// planOrigins is one archive of the natural-risk plans of each département that has published some.
var planOrigins = []fetch.Origin{{
	From: fetch.At{Address: georisquesFiles + "ppr/pprn_{departement}.zip"}, Area: fetch.Departement, Rhythm: "irregularly", Evidence: fetch.Read,
	Basis: "stored texts 12134699754, 11988581883", ReadOn: "2026-10",
	Note: "Read for one département. Not each has a file: plans that are not in it can be given one by one, 38DDT20180003.zip.",
}}

var cnigOrigins = []fetch.Origin{{
	Evidence: fetch.None, Basis: "stored text 68995122878", ReadOn: "2026-10",
	Note: "No bulk of plans in the CNIG model was found (files.georisques.fr/ppr, the downloads of Géorisques and the GPU were looked at). " +
		"One plan each can be given as the DDT publishes it: pprt_69dreal20090005.gpkg.",
}}

// floodOrigins is one archive of the maps of the flood directive in each département that has some.
var floodOrigins = []fetch.Origin{{
	From: fetch.At{Address: georisquesFiles + "di_2020/tri_2020_sig_di_{departement}.zip"}, Area: fetch.Departement, Rhythm: "irregularly",
	Evidence: fetch.Read, Basis: "stored texts 55368233518, 54132860242, 7801487701", ReadOn: "2026-10",
	Note: "A cycle of six years. Not each département has a file.",
}}

var floodMarkerOrigins = []fetch.Origin{{
	Evidence: fetch.None, Basis: "stored text 69587284420", ReadOn: "2026-10",
	Note: "The national platform has a site and no file or service. The layer of a département can be given as its DDT publishes it: Reperes_crue_DDT93.zip.",
}}

// The file without a year in its name is the map of before 2026.
var clayOrigins = []fetch.Origin{{
	From: fetch.At{Address: georisquesFiles + "argiles/{year}/AleaRG_{year}_Fxx_L93.zip"}, Bytes: 439_610_008,
	Rhythm: "irregularly", Evidence: fetch.Read, Basis: "stored texts 58704261446, 58940945217 (edition of 2025)", ReadOn: "2026-10",
}, {
	From: fetch.At{Address: georisquesFiles + "argiles/{year}/AleaRG_{year}_{departement}_L93.zip"}, Area: fetch.Departement,
	Rhythm: "irregularly", Evidence: fetch.Read, Basis: "stored text 55368233518 (edition of 2025)", ReadOn: "2026-10",
}}

var bordeauxClayOrigins = []fetch.Origin{{
	From: fetch.Opendatasoft{Host: "datahub.bordeaux-metropole.fr", Dataset: "ri_alearga_s", Format: "csv", Labels: true},
	As:   "ri_alearga_s.csv", OnDemand: true, Rhythm: "irregularly", Evidence: fetch.Derived, Basis: "stored text 54132860242 (as GeoJSON)", ReadOn: "2026-10",
}}

var radonOrigins = []fetch.Origin{{
	From:   fetch.DataGouv{Dataset: "connaitre-le-potentiel-radon-de-ma-commune", File: `(?i)^radon\.csv$`},
	Rhythm: "once", Evidence: fetch.Read, Basis: "stored texts 71488409294, 53188957767, 70069693225", ReadOn: "2026-10",
}}

var seismicOrigins = []fetch.Origin{{
	From:  fetch.DataGouv{Dataset: "zonage-sismique-de-la-france-1", File: `(?i)^France_zonage_sismique\.zip$`},
	Bytes: 129_000_000, Rhythm: "once", Evidence: fetch.Read, Basis: "stored texts 71488409294, 71214564965", ReadOn: "2026-10",
}}

// An address of Géorisques ignores a parameter that it does not know, and answers with all of France.
var installationOrigins = []fetch.Origin{{
	From: fetch.At{Address: "https://www.georisques.gouv.fr/api/v1/csv/installations_classees?departement={departement}"},
	As:   "icpe-{departement}.csv.zip", Area: fetch.Departement, Rhythm: "irregularly", Evidence: fetch.Read,
	Basis: "stored texts 53685615472, 58180149169, 68995122878; clombion/icpe-gironde", ReadOn: "2026-10",
	Note: "Version 2 of this interface asks for a key.",
}}

var formerSiteOrigins = []fetch.Origin{{
	From: fetch.At{Address: "https://mapsref.brgm.fr/wxs/georisques/georisques_dl?service=wfs&version=2.0.0&request=getfeature" +
		"&typename=etablissement_point&outputformat=csvtext"},
	As: "casias.csv", Rhythm: "irregularly", Evidence: fetch.Read, Basis: "stored text 70742615650", ReadOn: "2026-10",
	Note: "Without the sites that are drawn as areas, the layer etablissement_polygon.",
}, {
	From: fetch.At{Address: "https://www.georisques.gouv.fr/webappReport/ws/infosols/casias/_search?isExport=true&codeDepartement={departement}"},
	As:   "casias-{departement}.csv", Area: fetch.Departement, Rhythm: "irregularly", Evidence: fetch.Read,
	Basis: "stored text 68655537397", ReadOn: "2026-10",
}}

var stateSiteOrigins = []fetch.Origin{{
	From: fetch.DataFair{Host: "data.ademe.fr", Dataset: "srd-ademe", Format: "geojson"}, As: "donnees-ademe-sites-pollues.geojson",
	Rhythm: "irregularly", Evidence: fetch.Derived, Basis: "stored texts 17203535251 (as CSV), 70819002823", ReadOn: "2026-10",
}}

const georisquesReport = "https://www.georisques.gouv.fr/webappReport/ws/"

var cavityOrigins = []fetch.Origin{{
	From: fetch.At{Address: georisquesReport + "cavites/departements/{departement}/fiches.csv?"}, As: "cavite_{departement}.csv", Area: fetch.Departement,
	Rhythm: "irregularly", Evidence: fetch.Read, Basis: "stored texts 41986680723, 6228328149", ReadOn: "2026-10",
	Note: "75, 78, 91, 92, 93, 94 and 95 had none: those of the Paris region are in another register.",
}}

var movementOrigins = []fetch.Origin{{
	From: fetch.At{Address: georisquesReport + "mvmt/departements/{departement}/fichecommunes.csv"}, As: "mvt_dptList_{departement}.csv", Area: fetch.Departement,
	Rhythm: "irregularly", Evidence: fetch.Read, Basis: "stored texts 68350864429, 53832228136", ReadOn: "2026-10",
}}
