package heritage

import (
	"arpent/api/ingest/fetch"
	"arpent/api/ingest/fetch/producer"
)

var monumentOrigins = []fetch.Origin{{
	From: producer.Opendatasoft{Host: "data.culture.gouv.fr", Dataset: "liste-des-immeubles-proteges-au-titre-des-monuments-historiques", Format: "csv"},
	As:   "liste-des-immeubles-proteges-au-titre-des-monuments-historiques.csv", Rhythm: "monthly", Evidence: fetch.Read,
	Basis: "public source code", ReadOn: "2026-10",
}}

// The national list has the monuments of the city as well.
var montpellierOrigins = []fetch.Origin{{
	From:     producer.At{Address: "https://data.montpellier3m.fr/sites/default/files/ressources/VilleMTP_MTP_MonumentsHist.json"},
	OnDemand: true, Rhythm: "irregularly", Evidence: fetch.Derived,
	Basis: "public source code (the folder), the catalogue of the city (the name)", ReadOn: "2026-10",
}}
