package safety

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
)

// safetyDataset is that of all levels. Each edition is a new resource with the
// geography and the day in the name of its file.
const safetyDataset = "621df2954fa5a3b5a023e23c"

func safetyOrigin(resource, file string, bytes int64, basis string) []fetch.Origin {
	return []fetch.Origin{{
		From:  producer.DataGouv{Dataset: safetyDataset, Resource: resource, File: file},
		Bytes: bytes, Rhythm: "yearly", Evidence: fetch.Read, Basis: basis, ReadOn: "2026-10",
	}}
}

var (
	departementOrigins = safetyOrigin("2b27a675-e3bf-41ef-a852-5fb9ab483967", `^donnee-dep-data\.gouv-.*\.csv$`,
		0, "public source code (name)")
	regionOrigins = safetyOrigin("", `^donnee-reg-data\.gouv-.*\.csv$`, 0, "public source code")
	forceOrigins  = safetyOrigin("a2af06fc-ba6c-4e6c-a69a-ac222817c93f",
		`^info-complements-data\.gouv-.*\.xlsx$`, 3_800_000,
		"TheSillas/HouseSearch, data/sources/metropole-lyon/securite.md")
	// The newest edition of communes, of whatever geography: its resource had another id before March 2026.
	communeOrigins = safetyOrigin("", `^donnee-(comm-)?data\.gouv-.*\.csv\.gz$`, 39_900_000,
		"TheSillas/HouseSearch, data/sources/metropole-lyon/securite.md; other public source code")
)
