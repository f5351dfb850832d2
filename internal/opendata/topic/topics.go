// Package topic is the list of topics. Everything about one topic is in its folder; the engines that load,
// report and compute statistics know none of them and are built from this list.
package topic

import (
	"slices"
	"sync"

	"arpent/internal/opendata/report"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic/addresses"
	"arpent/internal/opendata/topic/areas"
	"arpent/internal/opendata/topic/business"
	"arpent/internal/opendata/topic/climate"
	"arpent/internal/opendata/topic/elections"
	"arpent/internal/opendata/topic/employment"
	"arpent/internal/opendata/topic/energy"
	"arpent/internal/opendata/topic/environment"
	"arpent/internal/opendata/topic/finances"
	"arpent/internal/opendata/topic/geography"
	"arpent/internal/opendata/topic/health"
	"arpent/internal/opendata/topic/heritage"
	"arpent/internal/opendata/topic/housing"
	"arpent/internal/opendata/topic/imagery"
	"arpent/internal/opendata/topic/income"
	"arpent/internal/opendata/topic/land"
	"arpent/internal/opendata/topic/mobility"
	"arpent/internal/opendata/topic/parcels"
	"arpent/internal/opendata/topic/planning"
	"arpent/internal/opendata/topic/population"
	"arpent/internal/opendata/topic/rankings"
	"arpent/internal/opendata/topic/risks"
	"arpent/internal/opendata/topic/safety"
	"arpent/internal/opendata/topic/sales"
	"arpent/internal/opendata/topic/services"
	"arpent/internal/opendata/topic/water"
)

// Topic is the descriptor of a topic.
type Topic struct {
	Sources    func() []source.Source // nil: the topic has none
	Report     func() report.Topic    // nil: no keys in the report
	Statistics func() stats.Topic     // nil: no block in the statistics
}

// All lists the topics. Sources are loaded in this order, and the keys of the report follow it.
var All = []Topic{
	{Sources: areas.Sources},
	{Sources: addresses.Sources, Report: addresses.Report},
	{Sources: parcels.Sources},
	{Sources: sales.Sources, Report: sales.Report},
	{Sources: energy.Sources, Report: energy.Report},
	{Sources: risks.Sources, Report: risks.Report, Statistics: risks.Statistics},
	{Sources: planning.Sources, Report: planning.Report},
	{Sources: land.Sources, Report: land.Report},
	{Sources: water.Sources, Report: water.Report, Statistics: water.Statistics},
	{Sources: heritage.Sources, Report: heritage.Report},
	{Sources: business.Sources, Report: business.Report},
	{Sources: mobility.Sources, Report: mobility.Report, Statistics: mobility.Statistics},
	{Sources: services.Sources, Report: services.Report, Statistics: services.Statistics},
	{Sources: geography.Sources, Report: geography.Report, Statistics: geography.Statistics},
	{Sources: imagery.Sources, Report: imagery.Report},
	{Sources: population.Sources, Statistics: population.Statistics},
	{Sources: income.Sources, Statistics: income.Statistics},
	{Sources: employment.Sources, Statistics: employment.Statistics},
	{Sources: housing.Sources, Statistics: housing.Statistics},
	{Sources: elections.Sources, Statistics: elections.Statistics},
	{Sources: safety.Sources, Statistics: safety.Statistics},
	{Sources: finances.Sources, Statistics: finances.Statistics},
	{Sources: health.Sources, Statistics: health.Statistics},
	{Statistics: rankings.Statistics},
	{Sources: climate.Sources, Statistics: climate.Statistics},
	{Sources: environment.Sources, Statistics: environment.Statistics},
}

var sources = sync.OnceValue(func() (all []source.Source) {
	for _, t := range All {
		if t.Sources != nil {
			all = append(all, t.Sources()...)
		}
	}
	return all
})

// Sources returns every source, in loading order.
func Sources() []source.Source { return slices.Clone(sources()) }

// Statistics is the catalogue of all statistics blocks.
var Statistics = sync.OnceValue(func() *stats.Catalogue {
	var topics []stats.Topic
	for _, t := range All {
		if t.Statistics != nil {
			topics = append(topics, t.Statistics())
		}
	}
	return stats.NewCatalogue(sources(), topics)
})

// Report is the catalogue of all report keys.
var Report = sync.OnceValue(func() *report.Catalogue {
	var topics []report.Topic
	for _, t := range All {
		if t.Report != nil {
			topics = append(topics, t.Report())
		}
	}
	c, err := report.NewCatalogue(sources(), topics)
	if err != nil {
		panic(err) // the files are embedded in the program
	}
	return c
})
