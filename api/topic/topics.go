// Package topic is the list of the topics that the service knows something of. What concerns one lies in its folder; the
// engines that load, report and count know none of them, and are given what follows from this list.
package topic

import (
	"slices"
	"sync"

	"arpent/api/source"
	"arpent/api/topic/addresses"
	"arpent/api/topic/areas"
	"arpent/api/topic/business"
	"arpent/api/topic/climate"
	"arpent/api/topic/elections"
	"arpent/api/topic/employment"
	"arpent/api/topic/energy"
	"arpent/api/topic/environment"
	"arpent/api/topic/finances"
	"arpent/api/topic/geography"
	"arpent/api/topic/health"
	"arpent/api/topic/heritage"
	"arpent/api/topic/housing"
	"arpent/api/topic/income"
	"arpent/api/topic/land"
	"arpent/api/topic/mobility"
	"arpent/api/topic/parcels"
	"arpent/api/topic/planning"
	"arpent/api/topic/population"
	"arpent/api/topic/risks"
	"arpent/api/topic/safety"
	"arpent/api/topic/sales"
	"arpent/api/topic/services"
	"arpent/api/topic/water"
)

// Topic is what the engines need of a topic.
type Topic struct {
	Name     string
	Sources  func() []source.Source
	Measures func() []source.Measure // nil: it has no figures of territories
}

// All lists the topics. Sources are loaded in this order.
var All = []Topic{
	{Name: "areas", Sources: areas.Sources},
	{Name: "parcels", Sources: parcels.Sources},
	{Name: "addresses", Sources: addresses.Sources},
	{Name: "sales", Sources: sales.Sources},
	{Name: "energy", Sources: energy.Sources},
	{Name: "risks", Sources: risks.Sources},
	{Name: "planning", Sources: planning.Sources},
	{Name: "land", Sources: land.Sources},
	{Name: "water", Sources: water.Sources},
	{Name: "heritage", Sources: heritage.Sources},
	{Name: "business", Sources: business.Sources},
	{Name: "mobility", Sources: mobility.Sources},
	{Name: "services", Sources: services.Sources, Measures: services.Measures},
	{Name: "geography", Sources: geography.Sources},
	{Name: "population", Sources: population.Sources, Measures: population.Measures},
	{Name: "income", Sources: income.Sources, Measures: income.Measures},
	{Name: "employment", Sources: employment.Sources, Measures: employment.Measures},
	{Name: "housing", Sources: housing.Sources, Measures: housing.Measures},
	{Name: "elections", Sources: elections.Sources},
	{Name: "safety", Sources: safety.Sources, Measures: safety.Measures},
	{Name: "finances", Sources: finances.Sources, Measures: finances.Measures},
	{Name: "health", Sources: health.Sources, Measures: health.Measures},
	{Name: "climate", Sources: climate.Sources},
	{Name: "environment", Sources: environment.Sources, Measures: environment.Measures},
}

var sources = sync.OnceValue(func() (all []source.Source) {
	for _, t := range All {
		all = append(all, t.Sources()...)
	}
	return all
})

// Sources lists every source, in the order in which they are loaded.
func Sources() []source.Source { return slices.Clone(sources()) }

// Measures lists every measure that a source may fill.
func Measures() (all []source.Measure) {
	for _, t := range All {
		if t.Measures != nil {
			all = append(all, t.Measures()...)
		}
	}
	return all
}
