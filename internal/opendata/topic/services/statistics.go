package services

import "arpent/internal/opendata/stats"

// Statistics returns the topic's part of the territory statistics.
func Statistics() stats.Topic {
	return stats.Topic{
		Measures: measures,
		Tables: []string{"geo.enrich_health", "geo.enrich_hospital_extract", "geo.enrich_school",
			"geo.enrich_railway_station",
			"geo.enrich_high_speed_station", "geo.enrich_facility", "geo.enrich_school_index",
			"geo.enrich_school_result"},
		Read: readServices,
		Blocks: []stats.Block{
			stats.Object("equipements", "Facilities open to the public: their number by family.", buildFacilities).
				At(stats.Commune, 6).From("facilities*").Part("selected", "facilities*"),
			stats.Object("namedServices", "The nearest hospital, school, station and supermarket by name, from the middle of the commune as the crow flies.", namedServices).
				At(stats.Commune, 20).From("finess*", "schools", "railway-stations", "high-speed-stations", "bpe"),
			stats.Object("schools", "Schools of the commune with success rates and social position: their number by level, "+
				"and the first of them.", listSchools).At(stats.Commune, 28).From("schools", "school-index-*").
				SupplementedBy("school-results-*").CompleteBy("schools", "The loaded lists have no school in this commune.").
				Related(pointToFacilities),
			stats.Object("nearestGare", "The passenger station of the commune that is nearest to a point in its middle; where none "+
				"lies in it, the nearest within 50 km. All that lie in it.",
				nearestStation).At(stats.Commune, 29).From("railway-stations"),
			stats.Object("equipementTypes", "Facilities of every type of the edition of 2013, in the words of the producer; types that the commune has none of are left out.",
				listFacilityTypes).At(stats.Commune, 34).From("facilities-2013").OnRequest(),
			stats.Count("equipements", "Facilities open to the public, all kinds.", FacilitiesTotal).
				At(stats.Departement, 7).At(stats.Region, 7).From("facilities*"),
			stats.Object("equipementsDetail", "Facilities by family.", buildFacilities).
				At(stats.Departement, 17).From("facilities*"),
		},
		Metrics: []stats.Metric{
			{Name: "equipmentPer10000", Unit: "facilities per 10 000 inhabitants",
				Of:     stats.Everywhere(equipmentRates),
				France: stats.TotalsPer(FacilitiesTotal, nearestPopulation, 10000, 1)},
		},
	}
}
