package housing

import "arpent/internal/opendata/stats"

// Statistics returns the topic's part of the territory statistics.
func Statistics() stats.Topic {
	return stats.Topic{
		Measures: measures,
		Blocks: []stats.Block{
			stats.Object("logement", "Housing stock per census year, vacant dwellings and second homes.",
				buildHousing).
				At(stats.Commune, 4).At(stats.Departement, 15).From("housing-census*", "vacancy-*").
				Part("timeline", "housing-census*").Part("privateVacancy", "vacancy-*").
				Part("timeline.#.houses", "housing-census-2*", "housing-census-long").
				Part("timeline.#.apartments", "housing-census-2*", "housing-census-long"),
			stats.Object("logementRP", "Main residences: tenure, rooms, building period, heating.", mainResidences).
				At(stats.Commune, 5).At(stats.Departement, 16).From("housing-*").OfResidents().
				Part("tenure", "housing-census-2*", "housing-census-long").
				Part("rooms", "housing-census-2*", "housing-census-long").Part("buildPeriod", "housing-census-2*",
				"housing-census-long").
				Part("heating", "housing-census-long").Part("carlessPct", "housing-census-2*", "housing-census-long").
				Part("overcrowdedPct", "housing-census-2*").Part("socialHousing", "housing-social*").
				Doubted("socialHousing",
					"The file has 0 %, which can mean that there is none or that it was not counted."),
			stats.Count("totalHousing", "Dwellings, newest census year.", HousingTotal).
				At(stats.Departement, 5).At(stats.Region, 5).From("housing-census*"),
			stats.Count("vacantHousing", "Vacant dwellings, newest census year.", HousingVacant).
				At(stats.Departement, 6).At(stats.Region, 6).From("housing-census*"),
		},
		Metrics: []stats.Metric{
			{Name: "vacancyRate", Unit: "percent", Ascending: true, Of: stats.Everywhere(shareOrRate(HousingVacant, HousingTotal,
				HousingVacancyRate))},
			{Name: "secondaryHomeRate", Unit: "percent",
				Of: stats.Everywhere(stats.Quotient(HousingSecondary, HousingTotal, 100, 2))},
		},
	}
}
