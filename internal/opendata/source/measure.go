package source

import "slices"

// Measure is a quantity measured for territories, from which the statistics are computed.
type Measure struct {
	Name  string // "income.median": topic, then what it is
	Unit  string // "inhabitants", "EUR a year", "%"
	Class Class
	// Weight names the measure by which a Mean is weighted.
	Weight string
}

// Class is how the figure of a département or région is obtained.
type Class uint8

// The classes.
const (
	// Official figures are published by the producer: medians, rates and the like, which cannot be added up.
	Official Class = iota
	// Sum figures are added up from the communes where the producer publishes none, if the communes with a
	// figure are home to at least 95 % of the inhabitants.
	Sum
	// Mean figures are averages over the communes, weighted by another measure.
	Mean
	// Own figures are added up over merged communes, but never to larger territories, which have their own.
	Own
)

// namesOf returns the names of the measures of some classes.
func namesOf(measures []Measure, classes ...Class) (names []string) {
	for _, m := range measures {
		if slices.Contains(classes, m.Class) {
			names = append(names, m.Name)
		}
	}
	return names
}

// Measures of population that several topics read.
const (
	PopulationMunicipal = "population.municipal"
	PopulationBirths    = "population.births" // in a year, by residence of the mother
	PopulationDeaths    = "population.deaths" // in a year, by residence of the deceased
)

// LandArea is the measure of the land area of communes, and LandAreaSource the source that fills it: the
// territory gives it too.
const (
	LandArea       = "area.land"
	LandAreaSource = "comparateur-superficie"
)
