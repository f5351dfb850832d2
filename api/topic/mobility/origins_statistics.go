package mobility

import (
	"arpent/api/ingest/fetch"
	"arpent/api/ingest/fetch/producer"
)

// prefectureOrigins: INSEE's page of the code officiel géographique has another number each year, this resource stays.
var prefectureOrigins = []fetch.Origin{{
	From: producer.DataGouv{Dataset: "code-officiel-geographique-cog", Resource: "e5f32177-5841-4a46-9c17-f8ff94bd38fc", File: `^v_departement_20\d\d\.csv$`},
	As:   "cog/{served}", Rhythm: "yearly", Evidence: fetch.Read, Basis: "public source code (resource; name)", ReadOn: "2026-10",
}}
