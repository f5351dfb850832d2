package population

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

const nextList = "The list of the next census year is on a page of its own, whose number cannot be derived: it has to be added."

// referenceLists are named by the census year: INSEE gives all of them one name.
func referenceLists() []fetch.Origin {
	list := func(page int, as, basis string) fetch.Origin {
		o := source.InseeFile(page, "ensemble.zip", as, basis)
		o.Bytes = 1 << 20
		return o
	}
	newest := list(8680726, "ensemble_2023.zip",
		"public source code; page https://www.insee.fr/fr/statistiques/8680726")
	newest.Rhythm, newest.Note = "yearly", nextList
	return []fetch.Origin{newest, list(8290591, "ensemble_2022.zip", "public source code"),
		list(7739582, "ensemble_2021.zip", "Lucas-knut/mspr-813, docs/URLS_DATASETS.md; other public source code")}
}

var referenceOrigins = source.NotFetched("",
	"The same list is fetched for population-reference-year. By hand: donnees_communes.csv in a folder insee-population.")

var mayotteOrigins = source.NotFetched("page https://www.insee.fr/fr/statistiques/9021428",
	"No address of a file was read. The census of 2017 is copied in datagouv/decoupage-administratif (sources/donnees_communes_mayotte.csv): "+
		"it can be given in a folder insee-population. That of 2026 is not declared.")

var historyOrigins = []fetch.Origin{{
	From: producer.At{Address: "https://www.insee.fr/fr/statistiques/fichier/3698339/base-pop-historiques-1876-{year}.xlsx"},
	As:   "base-pop-historiques-1876-{year}.xlsx", Bytes: 6_700_000, Rhythm: "yearly",
	Evidence: fetch.Read, Basis: "public source code", ReadOn: "2026-10",
}}

// rateOrigins are the tables of a level, one an indicator. nivgeo is the level as the address spells it.
func rateOrigins(level, nivgeo string) (out []fetch.Origin) {
	for _, indicator := range []string{"tx_morta", "tx_nat"} {
		out = append(out, fetch.Origin{
			From: producer.At{Address: "https://www.observatoire-des-territoires.gouv.fr/outils/cartographie-interactive/api/v1/functions/GC_API_download.php" +
				"?type=stat&nivgeo=" + nivgeo + "&dataset=insee_rp_evol_1968&indic=" + indicator + "&format=csv"},
			As: "insee_rp_evol_1968_" + level + "_" + indicator + ".csv", Rhythm: "yearly",
			Evidence: fetch.Derived, Basis: "public source code (addresses of other tables, names of this one)",
			ReadOn: "2026-10",
			Note:   "A wrong code of the indicator is answered with status 500.",
		})
	}
	return out
}
