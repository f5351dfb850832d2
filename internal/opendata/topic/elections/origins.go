package elections

import (
	"regexp"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// aggregatedOrigin is a resource of the aggregated elections, which keeps its id.
// Each publication of the ministry renews it.
func aggregatedOrigin(resource, file string, bytes int64) []fetch.Origin {
	return []fetch.Origin{{
		From: producer.DataGouv{Dataset: "6481e741d4cf002ec0efec9d", Resource: resource, File: "^" + file +
			`\.csv$`},
		Bytes: bytes, Rhythm: "yearly", Evidence: fetch.Read, ReadOn: "2026-10",
		Basis: "datagouv/datagouvfr_data_pipelines, data_processing/elections/aggregation/config.json; other public source code",
	}}
}

var (
	turnoutOrigins = aggregatedOrigin("b8703c69-a18f-46ab-9e7f-3a8368dcb891", "general_results", 0)
	votesOrigins   = aggregatedOrigin("52a11762-45b4-414f-b6a2-eaa290217dc6", "candidats_results", 2_100_000_000)
)

// The legislative elections of 2022 have files of the same names: these are selected by their dataset.
var (
	firstRound  = producer.DataGouv{Dataset: "62581fdf02e05e365ea227a1"}
	secondRound = producer.DataGouv{Dataset: "626a86215fb310e32b48b137"}
)

func presidentialOrigin(dataset producer.DataGouv, resource, file string, bytes int64,
	basis string) fetch.Origin {
	dataset.Resource, dataset.File = resource, "^"+regexp.QuoteMeta(file)+"$"
	return fetch.Origin{From: dataset, As: file, Bytes: bytes, Rhythm: "once", Evidence: fetch.Read,
		Basis: basis, ReadOn: "2026-10"}
}

var presidentialCommuneOrigins = []fetch.Origin{
	presidentialOrigin(firstRound, "aae19572-df6d-4e05-ab09-06430ca8acde",
		"resultats-par-niveau-subcom-t1-france-entiere.txt", 16_900_000,
		"datagouv/datagouvfr_data_pipelines, sources.json (dataset); Lucas-knut/mspr-813 (resource); other public source code"),
	presidentialOrigin(secondRound, "11a736be-748f-470b-b2c6-b8ba09b48938",
		"resultats-par-niveau-subcom-t2-france-entiere.txt", 5_800_000, "public source code"),
}

var presidentialDepartementOrigins = []fetch.Origin{
	presidentialOrigin(firstRound, "18847484-f622-4ccc-baa9-e6b12f749514",
		"resultats-par-niveau-dpt-t1-france-entiere.xlsx", 0, "public source code"),
}

var mayorOrigins = []fetch.Origin{{
	From: producer.DataGouv{Dataset: "repertoire-national-des-elus-1",
		Resource: "2876a346-d50c-4911-934e-19ee07b0e503", File: `^elus-maires?-mai\.csv$`},
	Bytes: 4_257_507, Rhythm: "quarterly", Evidence: fetch.Read, Basis: "public source code", ReadOn: "2026-10",
}}

// supersededOrigins is for files that are not published as they are read: extracts, copies, and
// one whose official form has another layout.
var supersededOrigins = source.NotFetched("datasets of the ministry on data.gouv.fr",
	"Nothing official has this form, and copies of third parties are not fetched: election-agregee-participation and election-agregee-candidats have its results.")
