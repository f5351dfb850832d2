package employment

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

func censusOrigins() []fetch.Origin {
	newest := source.InseeFile(8581444, "base-cc-emploi-pop-active-2022_csv.zip", "",
		"TheSillas/HouseSearch, scripts/importer-insee.mjs")
	newest.Note = "The last file of this form: the census of 2023 is in rp-emploi-melodi alone."
	return []fetch.Origin{
		newest,
		source.InseeFile(8202916, "base-cc-emploi-pop-active-2021_csv.zip", "", "public source code"),
		source.InseeFile(7632867, "base-cc-emploi-pop-active-2020_csv.zip", "", "public source code"),
	}
}

var zoneCopyOrigins = source.NotFetched("bpineau/gazetteer, sources/chomage/transform.go",
	"The copy of a third party is not fetched. It was made from the files of chomage-zones-insee and zones-emploi-communes.")

var zoneOrigins = []fetch.Origin{{
	From: producer.At{Address: "https://www.insee.fr/fr/statistiques/fichier/1893230/chomage-zone-t1-2003-t{quarter}-{year}.xlsx"},
	As:   "chomage-zone-t1-2003-t{quarter}-{year}.xlsx", Rhythm: "quarterly",
	Evidence: fetch.Read, Basis: "bpineau/gazetteer, sources/chomage/transform.go; other public source code (t4-2025, t2-2022)", ReadOn: "2026-10",
}}

var zoneCommuneOrigins = []fetch.Origin{{
	From: producer.At{Address: "https://www.insee.fr/fr/statistiques/fichier/7671844/table-appartenance-geo-communes-{year}.zip"},
	As:   "table-appartenance-geo-communes-{year}.zip", Rhythm: "yearly",
	Evidence: fetch.Read, Basis: "bpineau/gazetteer, sources/chomage/transform.go (2025); other public source code (2026, 2024)", ReadOn: "2026-10",
}}

var localisedOrigins = []fetch.Origin{{
	From: producer.At{Address: "https://www.insee.fr/fr/statistiques/fichier/2012804/sl_etc_{year}T{quarter}.xls"},
	As:   "sl_etc_{year}T{quarter}.xls", Rhythm: "quarterly",
	Evidence: fetch.Read, Basis: "public source code (2025T4; 2025T3; 2023T4)", ReadOn: "2026-10",
}}
