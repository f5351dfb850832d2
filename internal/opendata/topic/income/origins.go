package income

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/source"
)

// keyOrigins is the archive of the key figures, which has a member
// for each level. It is the last of its series.
var keyOrigins = []fetch.Origin{
	source.InseeFile(7756729, "base-cc-filosofi-2021-geo2024_csv.zip", "", "public source code (member)"),
}

// detailOrigins are the archives of the distribution, one of communes and one of all larger territories.
func detailOrigins(territories string) []fetch.Origin {
	name := func(year string) string {
		return "indic-struct-distrib-revenu-" + year + "-" + territories + "_csv.zip"
	}
	newest := source.InseeFile(7756855, name("2021"), "", "public source code")
	if territories == "SUPRA" {
		newest.Evidence, newest.Basis = fetch.Derived, "name of the file of communes"
	}
	return []fetch.Origin{newest, source.InseeFile(6036907, name("2019"), "", "public source code")}
}
