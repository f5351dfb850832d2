package imagery

import (
	"arpent/api/ingest/fetch"
	"arpent/api/ingest/fetch/producer"
)

var surveyOrigins = []fetch.Origin{{
	From: producer.WFS{Endpoint: "https://data.geopf.fr/wfs", Layer: "pva:dataset", Sort: "date_mission"}, As: "pva_dataset.geojson",
	Rhythm: "irregularly", Evidence: fetch.Read, Basis: "public source code, which names IGNF/Pompei", ReadOn: "2026-10",
}}

var orthophotoOrigins = []fetch.Origin{{
	Evidence: fetch.None, Basis: "the declaration", ReadOn: "2026-10",
	Note: "A format of ours, with no file of a producer: ortho-1950.geojson or ortho-1950-<département>.geojson, areas that the images show.",
}}
