// Package topic is the list of topics. Everything about one topic is in its folder; the engines that load,
// report and compute statistics know none of them and are built from this list.
package topic

import (
	"maps"
	"slices"
	"sync"

	"arpent/internal/opendata/report"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic/addresses"
	"arpent/internal/opendata/topic/areas"
	"arpent/internal/opendata/topic/buildings"
	"arpent/internal/opendata/topic/business"
	"arpent/internal/opendata/topic/elections"
	"arpent/internal/opendata/topic/employment"
	"arpent/internal/opendata/topic/environment"
	"arpent/internal/opendata/topic/finances"
	"arpent/internal/opendata/topic/health"
	"arpent/internal/opendata/topic/housing"
	"arpent/internal/opendata/topic/income"
	"arpent/internal/opendata/topic/land"
	"arpent/internal/opendata/topic/mobility"
	"arpent/internal/opendata/topic/parcels"
	"arpent/internal/opendata/topic/planning"
	"arpent/internal/opendata/topic/population"
	"arpent/internal/opendata/topic/rankings"
	"arpent/internal/opendata/topic/risks"
	"arpent/internal/opendata/topic/safety"
	"arpent/internal/opendata/topic/services"
	"arpent/internal/opendata/topic/water"
)

// Topic is the descriptor of a topic.
type Topic struct {
	// the subject of its keys, by which callers choose them; topics may share one
	Theme      string
	Sources    func() []source.Source   // nil: the topic has none
	Report     func() report.Topic      // nil: no keys in the report
	Statistics func() stats.Topic       // nil: no block in the statistics
	MapLayers  func() []source.MapLayer // nil: maps draw none
}

// All lists the topics. Sources are loaded in this order, and the keys of the report follow it.
var All = []Topic{
	{Theme: "administration", Sources: areas.Sources, Statistics: areas.Statistics},
	{Theme: "addresses", Sources: addresses.Sources, Report: addresses.Report},
	{Theme: "cadastre", Sources: parcels.Sources, Report: parcels.Report},
	{Theme: "prices", Sources: housing.SaleSources, Report: housing.Report, Statistics: housing.SaleStatistics},
	{Theme: "energy", Sources: buildings.DiagnosticSources, Report: buildings.DiagnosticReport},
	{Theme: "risks", Sources: risks.Sources, Report: risks.Report, Statistics: risks.Statistics,
		MapLayers: risks.MapLayers},
	{Theme: "planning", Sources: planning.Sources, Report: planning.Report, Statistics: planning.Statistics,
		MapLayers: planning.MapLayers},
	{Theme: "nature", Sources: land.Sources, Report: land.Report, MapLayers: land.MapLayers},
	{Theme: "nature", Sources: water.Sources, Report: water.Report, Statistics: water.Statistics},
	{Theme: "heritage", Sources: planning.MonumentSources, Report: planning.MonumentReport},
	{Theme: "business", Sources: business.Sources, Report: business.Report},
	{Theme: "housing", Sources: buildings.Sources, Report: buildings.Report},
	{Theme: "mobility", Sources: mobility.Sources, Report: mobility.Report, Statistics: mobility.Statistics},
	{Theme: "services", Sources: services.Sources, Report: services.Report, Statistics: services.Statistics},
	{Theme: "nature", Sources: land.GeographySources, Report: land.GeographyReport, Statistics: land.Statistics},
	{Theme: "imagery", Sources: land.ImagerySources, Report: land.ImageryReport},
	{Theme: "population", Sources: population.Sources, Statistics: population.Statistics},
	{Theme: "income", Sources: income.Sources, Statistics: income.Statistics},
	{Theme: "employment", Sources: employment.Sources, Statistics: employment.Statistics},
	{Theme: "housing", Sources: housing.Sources, Statistics: housing.Statistics},
	{Theme: "elections", Sources: elections.Sources, Statistics: elections.Statistics},
	{Theme: "safety", Sources: safety.Sources, Statistics: safety.Statistics},
	{Theme: "finances", Sources: finances.Sources, Statistics: finances.Statistics},
	{Theme: "health", Sources: health.Sources, Statistics: health.Statistics},
	{Theme: "rankings", Statistics: rankings.Statistics},
	{Theme: "nature", Sources: environment.Sources, Statistics: environment.Statistics},
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

// MapLayers returns every layer of areas that maps draw.
func MapLayers() (all []source.MapLayer) {
	for _, t := range All {
		if t.MapLayers != nil {
			all = append(all, t.MapLayers()...)
		}
	}
	return all
}

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

// themedKeys are the keys of each theme.
type themedKeys map[string][]string

// statisticsThemes are the keys of the statistics of each level by theme.
var statisticsThemes = sync.OnceValue(func() map[stats.Level]themedKeys {
	all := map[stats.Level]themedKeys{stats.Commune: {}, stats.Departement: {}, stats.Region: {}}
	for _, t := range All {
		if t.Statistics == nil {
			continue
		}
		of := stats.NewCatalogue(sources(), []stats.Topic{t.Statistics()})
		for level, keys := range all {
			keys.add(t.Theme, of.Keys(level)...)
		}
	}
	return all
})

// reportThemes are the keys of the report by theme.
var reportThemes = sync.OnceValue(func() themedKeys {
	all := themedKeys{}
	for _, t := range All {
		if t.Report == nil {
			continue
		}
		for _, q := range t.Report().Queries {
			for _, k := range q.Keys {
				all.add(t.Theme, k.Name)
			}
		}
	}
	return all
})

func (t themedKeys) add(theme string, keys ...string) {
	if len(keys) > 0 {
		t[theme] = append(t[theme], keys...)
	}
}

// StatisticsThemes lists the themes of the statistics of a level, in alphabetical order.
func StatisticsThemes(level stats.Level) []string {
	return slices.Sorted(maps.Keys(statisticsThemes()[level]))
}

// StatisticsOn lists the keys of a theme among the statistics of a level.
func StatisticsOn(level stats.Level, theme string) []string { return statisticsThemes()[level][theme] }

// ReportThemes lists the themes of the report, in alphabetical order.
func ReportThemes() []string { return slices.Sorted(maps.Keys(reportThemes())) }

// ReportOn lists the keys of a theme in the report.
func ReportOn(theme string) []string { return reportThemes()[theme] }
