package business

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
)

// stockOrigins is a file that INSEE replaces on the first of each month, under the same name.
func stockOrigins(dataset, resource, file string, bytes int64) []fetch.Origin {
	return []fetch.Origin{{
		From: producer.DataGouv{Dataset: dataset, Resource: resource, File: "^" + file + `\.zip$`}, As: "sirene/" +
			file + ".zip",
		Bytes: bytes, Rhythm: "monthly", Evidence: fetch.Read, Basis: pipelines, ReadOn: "2026-10",
	}}
}

const (
	registerDataset  = "5b7ffc618b4c4169d30727e0"
	positionsDataset = "61d5e2d372a52d9f9411ff88"
	pipelines        = "datagouv/datagouvfr_data_pipelines, data_processing/insee/sirene/stock/config; other public source code"
)

var (
	placesOrigins = stockOrigins(positionsDataset, "ba6a4e4c-aac6-4764-bbd2-f80ae345afc5",
		"GeolocalisationEtablissement_Sirene_pour_etudes_statistiques_utf8", 0)
	companyOrigins = stockOrigins(registerDataset, "825f4199-cadd-486c-ac46-a65a8ea1a047",
		"StockUniteLegale_utf8", 0)
	// The size was read as 2.6 GB and as 1.1 GB.
	establishmentOrigins = stockOrigins(registerDataset, "0651fb76-bcf3-4f6a-a38d-bc04fa708576",
		"StockEtablissement_utf8", 2_600_000_000)
)
