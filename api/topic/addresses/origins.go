package addresses

import "arpent/api/ingest/fetch"

const adresse = "https://adresse.data.gouv.fr/data/ban/adresses/latest/"

// banOrigins is a file of the Base Adresse Nationale of each département, and that of all of France.
func banOrigins(departement, france fetch.Origin) []fetch.Origin {
	departement.Area = fetch.Departement
	both := []fetch.Origin{departement, france}
	for i := range both {
		both[i].Rhythm, both[i].Evidence, both[i].ReadOn = "daily", fetch.Read, "2026-10"
	}
	return both
}

var addressOrigins = banOrigins(
	fetch.Origin{From: fetch.At{Address: adresse + "csv/adresses-{departement}.csv.gz"}, Bytes: 17_098_791, Basis: "stored texts 61569080258, 66728453859"},
	fetch.Origin{From: fetch.At{Address: adresse + "csv/adresses-france.csv.gz"}, Basis: "stored text 43353893811"})

var localityOrigins = banOrigins(
	fetch.Origin{From: fetch.At{Address: adresse + "csv/lieux-dits-{departement}-beta.csv.gz"}, Basis: "stored texts 57661404116, 41598036448"},
	fetch.Origin{From: fetch.At{Address: adresse + "csv/lieux-dits-beta-france.csv.gz"}, Basis: "stored texts 43353893811, 44753276078"})

// The files in the exchange format have the names of those of the BAN: they are saved under others.
var localOrigins = banOrigins(
	fetch.Origin{From: fetch.At{Address: adresse + "csv-bal/adresses-{departement}.csv.gz"}, As: "bal-{departement}.csv.gz", OnDemand: true,
		Basis: "stored texts 56045301594, 32186487869", Note: exchangeForm},
	fetch.Origin{From: fetch.At{Address: adresse + "csv-bal/adresses-france.csv.gz"}, As: "bal-france.csv.gz", OnDemand: true,
		Basis: "stored text 44753276078", Note: exchangeForm})

const exchangeForm = "The BAN in the exchange format: the search reads it only in communes that the BAN lacks."

var addressOrigins2015 = []fetch.Origin{{
	Evidence: fetch.None, Basis: "stored texts 34411535679, 2397092036", ReadOn: "2026-10",
	Note: "No longer published: the base of before 2020 was at https://adresse.data.gouv.fr/data/BAN_licence_gratuite_repartage_<département>.zip. " +
		"A table of it can be given as BAN_licence_gratuite_repartage_33.csv.",
}}

// The page at INSEE has another number each year, of which the catalogue of data.gouv.fr keeps the newest.
var movementOrigins = []fetch.Origin{{
	From:   fetch.DataGouv{Dataset: "code-officiel-geographique-cog", File: `(?i)^v_mvt_?commune_?20[0-9]{2}\.csv$`},
	Rhythm: "yearly", Evidence: fetch.Derived, Basis: "stored text 4616482932", ReadOn: "2026-10",
}, {
	From:   fetch.At{Address: "https://www.insee.fr/fr/statistiques/fichier/8740222/v_mvt_commune_2026.csv"},
	Rhythm: "yearly", Evidence: fetch.Read, Basis: "stored texts 70903043022, 62530913530", ReadOn: "2026-10",
}}

var postcodeOrigins = []fetch.Origin{{
	From: fetch.At{Address: "https://datanova.laposte.fr/data-fair/api/v1/datasets/laposte-hexasmal/metadata-attachments/" +
		"base-officielle-codes-postaux.csv"},
	Rhythm: "half-yearly", Evidence: fetch.Read, Basis: "stored texts 63597905689, 36848462227", ReadOn: "2026-10",
}}

var banoOrigins = []fetch.Origin{{
	From: fetch.At{Address: "https://bano.openstreetmap.fr/data/bano-{departement}.csv"}, Area: fetch.Departement,
	Rhythm: "irregularly", Evidence: fetch.Read, Basis: "stored texts 47644876069, 70779936926", ReadOn: "2026-10",
}}
