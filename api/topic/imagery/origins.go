package imagery

import "arpent/api/ingest/fetch"

var surveyOrigins = []fetch.Origin{{
	From: fetch.WFS{Endpoint: "https://data.geopf.fr/wfs", Layer: "pva:dataset", Sort: "date_mission"}, As: "pva_dataset.geojson",
	Rhythm: "irregularly", Evidence: fetch.Read, Basis: "stored texts 30321401341, 62514473860", ReadOn: "2026-10",
}}

var orthophotoOrigins = []fetch.Origin{{
	Evidence: fetch.None, Basis: "the declaration", ReadOn: "2026-10",
	Note: "A format of ours, with no file of a producer: ortho-1950.geojson or ortho-1950-<département>.geojson, areas that the images show.",
}}
