package environment

import (
	"arpent/api/ingest/fetch"
	"arpent/api/ingest/fetch/producer"
)

var airOrigins = []fetch.Origin{{
	From: producer.At{Address: "https://zenodo.org/records/5043645/files/Indicateurs_QualiteAir_France_Commune_2000-2015_Ineris_v.Sep2020.zip?download=1"},
	As:   "Indicateurs_QualiteAir_France_Commune_2000-2015_Ineris_v.Sep2020.zip", Rhythm: "once",
	Evidence: fetch.Read, Basis: "public source code", ReadOn: "2026-10",
	Note: "Of the archive the newest year, 2015, is read. The years since can be given as Indicateurs_QualiteAir_France_Commune_<year>_Ineris_v.Dec2024.csv, " +
		"from the page of INERIS: their address was not found.",
}}

// ownOrigins is for formats of ours, which the operator makes; the note of the source has their columns.
var ownOrigins = []fetch.Origin{{
	Evidence: fetch.None, ReadOn: "2026-10", Note: "No public file has it. It can be given in a format of ours: see the note of the source.",
}}
