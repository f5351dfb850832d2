package mobility

import "arpent/api/ingest/fetch"

// prefectureOrigins: INSEE's page of the code officiel géographique has another number each year, this resource stays.
var prefectureOrigins = []fetch.Origin{{
	From: fetch.DataGouv{Dataset: "code-officiel-geographique-cog", Resource: "e5f32177-5841-4a46-9c17-f8ff94bd38fc", File: `^v_departement_20\d\d\.csv$`},
	As:   "cog/{served}", Rhythm: "yearly", Evidence: fetch.Read, Basis: "stored texts 52742100968 (resource), 68955407565 (name)", ReadOn: "2026-10",
}}
