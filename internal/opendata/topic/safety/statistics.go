package safety

import "arpent/internal/opendata/stats"

// Statistics returns the topic's part of the territory statistics.
func Statistics() stats.Topic {
	return stats.Topic{
		Measures: measures,
		Read:     sumCountry,
		Blocks: []stats.Block{
			compareWithCountry(stats.Object("securite", "Offences recorded by police and gendarmerie, where they took "+
				"place. The figures depend on what is reported and on police presence.", buildSafety).
				At(stats.Commune, 8).From("safety-*").SupplementedBy("safety-force").
				Related(pointToDepartement)),
			stats.Plain("crimeRate", "Offences recorded per 1 000 inhabitants: the sum of eleven series (ten by the labels of 2024) in which no act counts twice (method sum10-v1). sources.crimeRate.definition names them.", crimeRate).
				At(stats.Departement, 8).At(stats.Region, 8).From("safety-*").SupplementedBy("safety-force"),
			compareWithCountry(stats.Object("securite", "Offences recorded by police and gendarmerie. Those of a région are "+
				"the sums of its départements where the producer's own are older.", buildSafety).
				At(stats.Departement, 19).At(stats.Region, 20).From("safety-*").SupplementedBy("safety-force")),
		},
		Metrics: []stats.Metric{
			// Not ranked among communes: up to two thirds of their figures are not disclosed, and those are
			// the low ones.
			{Name: "crimeRate", Unit: "offences per 1 000 inhabitants", Ascending: true,
				Of: stats.Above(crimes.listPoints), France: crimes.ofFrance},
			{Name: "burglaryRate", Unit: "burglaries per 1 000 dwellings", Ascending: true,
				Of: stats.Above(burglaries.listPoints), France: burglaries.ofFrance},
		},
	}
}

// compareWithCountry gives the state of the rates of all départements together that are null.
func compareWithCountry(b stats.Block) stats.Block {
	return b.Because("categories.#.allDepartementsRatePer1000",
		"The counts of this year are not loaded of all départements.")
}

// pointToDepartement says where the offences are that are known of the département of a commune or
// arrondissement, and how to ask for few of them. That of Paris is the commune itself; overseas the région is
// asked for.
func pointToDepartement(_ *stats.Data, t *stats.Territory) string {
	of := t
	for of != nil && of.IsLocal() {
		of = of.Parent
	}
	if of == nil || t.Level == stats.Commune && len(of.Children) == 1 {
		return ""
	}
	level := "département"
	if len(of.Code) > 2 {
		of, level = of.Parent, "région"
	}
	if of == nil {
		return ""
	}
	if list, _ := safetyList(of); list == "" {
		return ""
	}
	return "Its " + level + " has it: one series is securite.burglary in fields, its years securite.timeline.burglary."
}
