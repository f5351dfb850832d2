package water

import "arpent/api/ingest/fetch"

var networkOrigins = []fetch.Origin{{
	Evidence: fetch.None, Basis: "list of files of dataforgoodfr/13_pollution_eau", ReadOn: "2026-10",
	Note: "Only a third party publishes it as a table, which is not fetched: udi_population_from_infofactures.csv, in dbt_/seeds of " +
		"https://github.com/dataforgoodfr/13_pollution_eau. It can be given under that name.",
}}
