package addresses

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
)

const adresse = "https://adresse.data.gouv.fr/data/ban/adresses/latest/"

// banOrigins returns the origins of the Base Adresse Nationale: a file for each département, and one for
// France.
func banOrigins(departement, france fetch.Origin) []fetch.Origin {
	departement.Area = fetch.Departement
	both := []fetch.Origin{departement, france}
	for i := range both {
		both[i].Rhythm, both[i].Evidence, both[i].ReadOn = "daily", fetch.Read, "2026-10"
	}
	return both
}

var addressOrigins = banOrigins(
	fetch.Origin{From: producer.At{Address: adresse + "csv/adresses-{departement}.csv.gz"}, Bytes: 17_098_791,
		Basis: "public source code"},
	fetch.Origin{From: producer.At{Address: adresse + "csv/adresses-france.csv.gz"},
		Basis: "public source code"})

var localityOrigins = banOrigins(
	fetch.Origin{From: producer.At{Address: adresse + "csv/lieux-dits-{departement}-beta.csv.gz"},
		Basis: "public source code"},
	fetch.Origin{From: producer.At{Address: adresse + "csv/lieux-dits-beta-france.csv.gz"},
		Basis: "public source code; build script of BaseAdresseNationale"})

// The files in the exchange format have the names of those of the BAN: they are saved under others.
var localOrigins = banOrigins(
	fetch.Origin{From: producer.At{Address: adresse + "csv-bal/adresses-{departement}.csv.gz"},
		As: "bal-{departement}.csv.gz", OnDemand: true,
		Basis: "public source code", Note: exchangeForm},
	fetch.Origin{From: producer.At{Address: adresse + "csv-bal/adresses-france.csv.gz"}, As: "bal-france.csv.gz",
		OnDemand: true,
		Basis:    "build script of BaseAdresseNationale", Note: exchangeForm})

const exchangeForm = "The BAN in the exchange format: the search reads it only in communes that the BAN lacks."

// The page at INSEE has another number each year, of which the catalogue of data.gouv.fr keeps the newest.
var movementOrigins = []fetch.Origin{{
	From: producer.DataGouv{Dataset: "code-officiel-geographique-cog",
		File: `(?i)^v_mvt_?commune_?20[0-9]{2}\.csv$`},
	Rhythm: "yearly", Evidence: fetch.Derived, Basis: "public source code", ReadOn: "2026-10",
}, {
	From:   producer.At{Address: "https://www.insee.fr/fr/statistiques/fichier/8740222/v_mvt_commune_2026.csv"},
	Rhythm: "yearly", Evidence: fetch.Read, Basis: "public source code", ReadOn: "2026-10",
}}

var postcodeOrigins = []fetch.Origin{{
	From: producer.First{
		producer.At{Address: "https://data.laposte.fr/data-fair/api/v1/datasets/laposte-hexasmal/raw"},
		producer.At{Address: "https://datanova.laposte.fr/data-fair/api/v1/datasets/laposte-hexasmal/metadata-attachments/" +
			"base-officielle-codes-postaux.csv"},
	},
	As: "laposte-hexasmal.csv", Bytes: 1_555_485, Rhythm: "half-yearly", Evidence: fetch.Read,
	Basis: "public source code", ReadOn: "2026-10",
}}

var banoOrigins = []fetch.Origin{{
	From:   producer.At{Address: "https://bano.openstreetmap.fr/data/bano-{departement}.csv"},
	Area:   fetch.Departement,
	Rhythm: "irregularly", Evidence: fetch.Read, Basis: "public source code", ReadOn: "2026-10",
}}
