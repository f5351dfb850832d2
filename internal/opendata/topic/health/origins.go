package health

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// doctorsOrigin is a workbook attached to the dataset, whose export as a table is empty. A workbook has a
// sheet for each of its years; that of an edition may be withdrawn with the next.
func doctorsOrigin(title, as, rhythm, basis string) []fetch.Origin {
	return []fetch.Origin{{
		From: producer.Attachment{Host: "data.drees.solidarites-sante.gouv.fr",
			Dataset: "530_l-accessibilite-potentielle-localisee-apl", Title: title},
		As: as, Rhythm: rhythm, Evidence: fetch.Read, Basis: basis, ReadOn: "2026-10",
	}}
}

var (
	doctorsOrigins = doctorsOrigin(`(?i)^indicateur[ _]d['’_]apl[ _]aux[ _]m[ée]decins[ _]g[ée]n[ée]ralistes`,
		"apl_medecins_generalistes.xlsx", "yearly",
		"TheSillas/HouseSearch, scripts/importer-insee.mjs; data/sources/sante-apl-bpe.md")
	doctorsOrigins2021 = doctorsOrigin(`(?i)^indicateur[ _]d['’_]accessibilit[ée][ _]potentielle[ _]localis[ée]e[ _]\(?apl\)?[ _]aux[ _]m[ée]decins[ _]g[ée]n[ée]ralistes`,
		"apl_medecins_generalistes_2021.xlsx", "once", "public source code")
)

func accountOrigins() []fetch.Origin {
	o := source.MelodiOrigin("DS_COMPTES_REGIONAUX", 0)
	o.Evidence, o.Basis = fetch.Derived, "address of the catalogue in public source code"
	return []fetch.Origin{o}
}

var eurostatOrigins = []fetch.Origin{{
	From: producer.At{Address: "https://ec.europa.eu/eurostat/api/dissemination/sdmx/2.1/data/nama_10r_2gdp?format=SDMX-CSV&compressed=true"},
	As:   "nama_10r_2gdp.csv.gz", Rhythm: "yearly",
	Evidence: fetch.Read, Basis: "public source code (in another format; other tables in this one)",
	ReadOn: "2026-10",
}}
