package mobility

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

var trafficOrigins = []fetch.Origin{{
	From: producer.DataGouv{Dataset: "trafic-moyen-journalier-annuel-sur-le-reseau-routier-national",
		File: `(?i)^tmja[^/]*\.csv$`, Newest: producer.All},
	As: "traffic/{served}", Rhythm: "yearly", Evidence: fetch.Read, Basis: "public source code",
	ReadOn: "2026-10",
	Note:   "Since 2020 the network under concession alone. The years until 2018 are Shapefiles, which are not read.",
}}

var travelOrigins = source.NotFetched("the declaration",
	"No public bulk file has travel times. It can be given in a format of ours: see the note of the source.")

var airportsdataOrigins = []fetch.Origin{{
	From: producer.At{Address: "https://raw.githubusercontent.com/mborsetti/airportsdata/main/airportsdata/airports.csv"}, As: "airports/airportsdata.csv",
	OnDemand: true, Bytes: 3_000_000, Rhythm: "irregularly", Evidence: fetch.Read, Basis: "public source code",
	ReadOn: "2026-10",
	Note:   "airports-ourairports has the same airports, and which of them have scheduled flights.",
}}

var ourairportsOrigins = []fetch.Origin{{
	From:  producer.At{Address: "https://davidmegginson.github.io/ourairports-data/airports.csv"},
	As:    "airports/airports.csv",
	Bytes: 12_700_000, Rhythm: "daily", Evidence: fetch.Read, Basis: "public source code", ReadOn: "2026-10",
}}

var stationOrigins = []fetch.Origin{{
	From: producer.Opendatasoft{Host: "ressources.data.sncf.com", Dataset: "gares-de-voyageurs", Format: "csv",
		Labels: true}, As: "sncf/gares-de-voyageurs.csv",
	Rhythm: "irregularly", Evidence: fetch.Read, Basis: "public source code", ReadOn: "2026-10",
	Note: "Declared under the Licence Ouverte 2.0; some public source code says ODbL.",
}}

// highSpeedOrigins: the current feed of all trains is not read, because its list of
// stops does not say which trains stop there.
var highSpeedOrigins = []fetch.Origin{{
	From:   producer.At{Address: "https://eu.ftp.opendatasoft.com/sncf/gtfs/export_gtfs_voyages.zip"},
	As:     "sncf/export_gtfs_voyages.zip",
	Rhythm: "daily", Evidence: fetch.Read, Basis: "public source code", ReadOn: "2026-10",
	Note: "The timetable of TGV INOUI and OUIGO. Whether it is still renewed was not read; both the Licence Ouverte 2.0 and the ODbL were read as its licence.",
}}

var chargePointOrigins = []fetch.Origin{{
	From: producer.DataGouv{Dataset: "5448d3e0c751df01f85d0572",
		Resource: "eb76d20a-8501-400e-b336-d85724de5435",
		File:     `^consolidation-etalab-schema-irve-statique-.*\.csv$`},
	As: "irve/{served}", Bytes: 162_000_000, Rhythm: "daily", Evidence: fetch.Read,
	Basis:  "etalab/transport-site, scripts/irve/stats.exs; other public source code (resource; name)",
	ReadOn: "2026-10",
}}

// observatoryOrigins is the weekly file of the observatory, of which mobile-supports is made as well.
var observatoryOrigins = []fetch.Origin{{
	From: producer.D4C{Host: "data.anfr.fr", Dataset: "observatoire_2g_3g_4g"}, As: "anfr/{served}",
	Bytes: 181_988_412, Rhythm: "weekly", Evidence: fetch.Read, Basis: "public source code", ReadOn: "2026-10",
}}

// fibreOrigins: the files by département of another data set, base_imb, have no state of the roll-out.
var fibreOrigins = []fetch.Origin{{
	From: producer.DataGouv{Dataset: "le-marche-du-haut-et-tres-haut-debit-fixe-deploiements",
		File: `(?i)^20[0-9]{2}t[1-4]-immeuble\.zip$`},
	As: "fibre/{served}", Bytes: 835_000_000, Rhythm: "quarterly", Evidence: fetch.Derived,
	Basis: "public source code (file, member, columns; titles)", ReadOn: "2026-10",
	Note: "4.5 GB unpacked.",
}}
