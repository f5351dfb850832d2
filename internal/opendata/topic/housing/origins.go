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
