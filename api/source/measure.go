package source

import "slices"

// Measure is a quantity of territories that the statistics are made of.
type Measure struct {
	Name  string // "income.median": topic, then what it is
	Unit  string // "inhabitants", "EUR a year", "%"
	Class Class
	// Weight is the measure that a weighted mean is weighted with.
	Weight string
}

// Class says how the figure of a département or région comes about.
type Class uint8

// The classes.
const (
	// Official figures are the producer's own: medians, rates and the like, which nothing can be added up from.
	Official Class = iota
	// Sum figures are added up from the communes where the producer gives none, if the communes that have one are home
	// to 95 % of the inhabitants at least.
	Sum
	// Mean figures are means of the communes', weighted with another measure.
	Mean
	// Own figures are added up over communes that were merged, and never to larger territories, which have their own.
	Own
)

// namesOf are the names of the measures of some classes.
func namesOf(measures []Measure, classes ...Class) (names []string) {
	for _, m := range measures {
		if slices.Contains(classes, m.Class) {
			names = append(names, m.Name)
		}
	}
	return names
}

const PopulationMunicipal = "population.municipal"

const PopulationBirths = "population.births" // of a year, by where the mother lives

const PopulationDeaths = "population.deaths" // of a year, by where the person lived
