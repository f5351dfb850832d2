package housing

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
)

// dvfYears is how many years are published at a time.
const dvfYears = 5

const dvfFiles = "https://files.data.gouv.fr/geo-dvf/latest/csv/{year}/"

const dvfNote = "Nothing is published for 57, 67, 68 and 976, nor a file for a year without sales."

// dvfOrigins has a file a year. A commune is a few hundred KB, a département a year 0.4 to 2.3 MB.
var dvfOrigins = []fetch.Origin{
	dvfOrigin(fetch.Commune, "communes/{departement}/{commune}.csv", 622_000,
		"public source code (the folders; redirect, 404 without sales)",
		"Paris, Lyon and Marseille have one for each arrondissement. "+dvfNote),
	dvfOrigin(fetch.Departement, "departements/{departement}.csv.gz", 2_056_139,
		"public source code (asked on 2026-10-05)", dvfNote),
	dvfOrigin(fetch.France, "full.csv.gz", 122_300_000,
		"phhusson/George, data.sh; other public source code (sizes)", ""),
}

func dvfOrigin(area fetch.Area, file string, bytes int64, basis, note string) fetch.Origin {
	return fetch.Origin{
		From: producer.At{Address: dvfFiles + file, Years: dvfYears}, As: "dvf/{year}/" + file, Area: area,
		Bytes: bytes, Rhythm: "half-yearly", Evidence: fetch.Read, Basis: basis, ReadOn: "2026-10", Note: note,
	}
}

var dvfRawOrigins = []fetch.Origin{{
	From: producer.DataGouv{Dataset: "5c4ae55a634f4117716d5656",
		File: `^valeursfoncieres-20[0-9]{2}(-s[12])?\.txt\.zip$`, Newest: producer.All},
	As: "dvf/{served}", OnDemand: true, Rhythm: "half-yearly", Evidence: fetch.Read,
	Basis: "datagouv/datagouvfr_data_pipelines, dvf/geoloc/task_functions.py; other public source code (address)", ReadOn: "2026-10",
	Note: "dvf has the same sales with positions.",
}}
