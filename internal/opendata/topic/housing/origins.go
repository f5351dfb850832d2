package housing

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// censusOrigins is the last table of this form: from the census of
// 2023 on, housing-census-long has its figures.
var censusOrigins = []fetch.Origin{source.InseeFile(8581474, "base-cc-logement-2022_csv.zip", "",
	"public source code")}

// vacancyDataset is that of all levels; a resource stays under its id while
// the year in the name of its file moves on.
const vacancyDataset = "61816c6e23197bb34835228e"

var vacancyOrigins = map[string][]fetch.Origin{
	"commune": {{
		From: producer.DataGouv{Dataset: vacancyDataset, Resource: "2e0417b4-902d-4c60-90e7-bf5df148cb87",
			File: `^lovac[-_]opendata[-_]communes?[-_]?[0-9]*\.csv$`},
		Rhythm: "yearly", Evidence: fetch.Read, Basis: "bpineau/gazetteer, sources/lovac/transform.go; other public source code", ReadOn: "2026-10",
	}},
	"departement": {{
		From: producer.DataGouv{Dataset: vacancyDataset,
			File: `^lovac[-_]opendata[-_]dep(artements?)?[-_]?[0-9]*\.csv$`},
		Rhythm: "yearly", Evidence: fetch.Read, Basis: "public source code (name of 2025)", ReadOn: "2026-10",
	}},
}

var socialOrigins = []fetch.Origin{{
	From: producer.DataGouv{Dataset: "taux-de-logements-sociaux-dans-les-communes",
		Resource: "b0d30277-3a14-4673-a988-2fa6c11e030c"},
	As: "taux-de-logements-sociaux-communes.csv", Rhythm: "yearly",
	Evidence: fetch.Read, Basis: "bpineau/gazetteer, sources/rpls/transform.go; other public source code",
	ReadOn: "2026-10",
}}

// copyOrigins is for the files of third parties.
func copyOrigins(of string) []fetch.Origin {
	return source.NotFetched("",
		"The copy of a third party is not fetched. It was made from the files of "+of+".")
}

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
