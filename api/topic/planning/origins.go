package planning

import (
	"arpent/api/ingest/fetch"
	"arpent/api/ingest/fetch/producer"
	"arpent/api/source"
)

var districtOrigins = []fetch.Origin{{
	From: producer.DataGouv{Dataset: "quartiers-prioritaires-de-la-politique-de-la-ville-qpv", Resource: "942d4ee8-8142-4556-8ea1-335537ce1119",
		File: `(?i)^qpv?-?2024[^/]*\.(zip|geojson)$`},
	Bytes: 11_000_000, Rhythm: "irregularly", Evidence: fetch.Read, ReadOn: "2026-10",
	Basis: "bpineau/gazetteer, sources/qpv/transform.go; other public source code",
}}

// documentOrigins is the archive of a document, which all layers are read from.
var documentOrigins = []fetch.Origin{{
	From: producer.Urbanisme{Partition: "DU_{commune}"}, Area: fetch.Commune, Bytes: 11_400_000, Rhythm: "irregularly", Evidence: fetch.Read,
	Basis: "public source code; GPU manual", ReadOn: "2026-10",
	Note: "The document of an EPCI is under its SIREN, DU_200057875: it can be given under the name that the Géoportail gives it, 200057875_PLUI_20250917.zip.",
}}

var nationalOrigins = source.NotFetched("public source code",
	"Published by SFTP alone, each week, with the login of the manual (https://www.geoportail-urbanisme.gouv.fr/image/Manuel_export_massif.pdf): "+
		"sftp-public.ign.fr:2200, pub/export-wfs/latest/gpkg/wfs_du.gpkg, or a file each in wfs_du/. They can be given under these names.")

// easementOrigins are the archives of the authorities that have the same number in each département.
var easementOrigins = []fetch.Origin{
	easementOrigin("172014607", "AC1", "public source code"),
	easementOrigin("172014607", "AC4", "public source code"),
	easementOrigin("552049447", "T1", "public source code"),
}

func easementOrigin(authority, category, basis string) fetch.Origin {
	return fetch.Origin{
		From: producer.Urbanisme{Partition: authority + "_SUP_{departement}_" + category}, Area: fetch.Departement,
		Rhythm: "irregularly", Evidence: fetch.Derived, Basis: basis + " (read for some départements)", ReadOn: "2026-10",
		Note: "Categories of other authorities have another number in each département (PM1: 130010937_SUP_35_PM1, 130008915_SUP_43_PM1): " +
			"their archives can be given under the names that the Géoportail gives them.",
	}
}

// noiseOrigins are four files, one a zone.
var noiseOrigins = []fetch.Origin{{
	From:   producer.DataGouv{Dataset: "zonage-des-plan-dexposition-au-bruit-peb", File: `(?i)^c-dgac-peb-metro-z[a-d]\.geojson$`, Newest: producer.All},
	Rhythm: "once", Evidence: fetch.Read, Basis: "public source code", ReadOn: "2026-10",
	Note: "State of 2020, of the mainland, deposited by a user of data.gouv.fr. Its licence was not read.",
}}
