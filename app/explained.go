package app

import (
	"regexp"
	"slices"
	"strings"

	"arpent/api"
	"arpent/api/territory"
	"arpent/api/tile"
	"arpent/internal/clock"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic"
	"arpent/internal/opendata/topic/elections"
	"arpent/internal/opendata/topic/environment"
	"arpent/internal/opendata/topic/health"
	"arpent/internal/opendata/topic/rankings"
	"arpent/internal/opendata/topic/safety"
	"arpent/internal/opendata/topic/services"
	"arpent/internal/opendata/topic/water"
	"arpent/web"
	"arpent/web/explore"
	"arpent/web/public"
	"arpent/web/reference"
)

// statisticsLevels are the levels that have statistics, smallest first.
var statisticsLevels = []stats.Level{stats.Commune, stats.Departement, stats.Region}

// samples are the operations that statistics are asked with, for a territory that has most of them.
var samples = map[stats.Level]string{stats.Commune: "/communes/75056", stats.Departement: "/departements/69",
	stats.Region: "/regions/11"}

// statisticsKeys are the keys of the statistics as their page explains them. Values of one type
// are described at the first key that has it.
func statisticsKeys() []public.StatisticsLevel {
	described := map[string]string{}
	var out []public.StatisticsLevel
	for _, level := range statisticsLevels {
		l := public.StatisticsLevel{Level: string(level), Path: samples[level]}
		for _, k := range topic.Statistics().Describe(level) {
			key := public.StatisticsKey{Name: k.Key, Doc: k.Doc, Type: k.Type, Sources: groupEditions(k.Sources)}
			if key.SameAs = described[k.TypeName]; key.SameAs == "" {
				for _, m := range k.Members {
					key.Members = append(key.Members, public.StatisticsMember(m))
				}
			}
			if k.TypeName != "" && key.SameAs == "" {
				described[k.TypeName] = public.KeyID(string(level), k.Key)
			}
			l.Keys = append(l.Keys, key)
		}
		out = append(out, l)
	}
	return out
}

// yearSuffix is what distinguishes one edition of a data set from another: a
// year at the end of its name and of its title.
var yearSuffix = regexp.MustCompile(`[- ](19|20)[0-9]{2}$`)

// groupEditions gathers sources that are editions of one data set, in the order of the catalogue.
func groupEditions(names []string) (out []public.StatisticsSource) {
	for _, name := range names {
		s := declared()[name]
		title := yearSuffix.ReplaceAllString(s.Title, "")
		i := slices.IndexFunc(out, func(o public.StatisticsSource) bool {
			return o.Producer == s.Producer && o.Title == title
		})
		if i < 0 {
			i, out = len(out), append(out, public.StatisticsSource{Producer: s.Producer, Title: title})
		}
		out[i].Names = append(out[i].Names, name)
	}
	return out
}

// methodValues are the tables and thresholds that figures are computed with.
func methodValues() reference.MethodValues {
	out := reference.MethodValues{Numbers: methodNumbers(), Blocs: blocTable()}
	for _, m := range rankings.Explain(topic.Statistics().Metrics()) {
		one := reference.Metric{Name: m.Name, Doc: m.Doc, Ascending: m.Ascending}
		for _, level := range m.Levels {
			one.Levels = append(one.Levels, string(level))
		}
		out.Metrics = append(out.Metrics, one)
	}
	for list, offences := range safety.CrimeOffences() {
		one := reference.OffenceList{List: list}
		for _, o := range offences {
			one.Labels = append(one.Labels, o.Label)
		}
		out.Offences = append(out.Offences, one)
	}
	slices.SortFunc(out.Offences, func(a, b reference.OffenceList) int { return strings.Compare(a.List, b.List) })
	for _, s := range services.ServiceReaches() {
		out.Services = append(out.Services, reference.ServiceReach(s))
	}
	return out
}

func methodNumbers() reference.MethodNumbers {
	t := elections.Blocs()
	return reference.MethodNumbers{
		MinCoverage: stats.MinCoverage, PresidentialYears: elections.PresidentialYears,
		MunicipalYears:  elections.MunicipalYears,
		ReferencePeriod: environment.ReferencePeriod, StationReachKm: environment.StationReachKm,
		MinDecadeYears:   environment.MinDecadeYears,
		MinConsultations: health.MinConsultations, NitratesMgL: water.LimitNitratesMgL, LeadUgL: water.LimitLeadUgL,
		PesticidesUgL:   water.LimitPesticidesUgL,
		MinBlocCoverage: t.MinCoverage, MinExpressed: t.MinExpressed, WaveDirection: t.WaveDirection,
		MinPanel:     t.MinPanel,
		Presidential: t.Weights["presidential"], Legislative: t.Weights["legislative"],
		European: t.Weights["european"],
		Left:     t.Labels["left"], CentreLeft: t.Labels["centre-left"], Centre: t.Labels["centre"],
		CentreRight: t.Labels["centre-right"],
	}
}

func blocTable() reference.BlocTable {
	t := elections.Blocs()
	out := reference.BlocTable{Version: t.Version, Method: t.Method, Notes: t.Notes}
	for _, b := range t.Blocs {
		out.Blocs = append(out.Blocs, reference.BlocPlace(b))
	}
	for _, n := range t.Nuances {
		out.Nuances = append(out.Nuances, reference.BlocOf{Name: n.Code, Label: n.Label, Bloc: orEmpty(n.Bloc),
			Why: n.Why})
	}
	for _, c := range t.Candidates {
		out.Candidates = append(out.Candidates, reference.BlocOf{Year: c.Year, Name: c.Given + " " + c.Surname,
			Label: c.Party, Bloc: orEmpty(c.Bloc), Why: c.Why})
	}
	return out
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// fieldSources are the data sets that each key of the report and of the statistics is made from.
func fieldSources() reference.Sources {
	out := reference.Sources{}
	for _, k := range topic.Report().Keys() {
		var names []string
		for _, s := range topic.Sources() {
			if slices.ContainsFunc(s.Layers(), k.DrawsOn) {
				names = append(names, s.Name)
			}
		}
		out["get_parcel_enrichments enrichments."+k.Name] = creditLines(groupEditions(names))
	}
	for _, level := range statisticsLevels {
		for _, k := range topic.Statistics().Describe(level) {
			out["get_"+string(level)+" stats."+k.Key] = creditLines(groupEditions(k.Sources))
		}
	}
	return out
}

// creditLines name data sets with their producers.
func creditLines(sources []public.StatisticsSource) (out []string) {
	for _, s := range sources {
		out = append(out, s.Producer+", "+s.Title)
	}
	return out
}

// newExplorer makes the explorer, which reads what the operations read.
func (a *App) newExplorer(site *web.Site, server *api.Server) *explore.Pages {
	return explore.New(explore.Options{Site: site, Clock: clock.Real{}, Client: server.ClientAddress,
		Coverage: a.coverage.Current, Layers: topic.MapLayers(),
		Tiles: tile.New(tile.Options{Territory: a.territory.Snapshot, Parcels: a.parcelIndex.Get,
			Addresses: a.addresses.Index, Coverage: a.coverage.Current, Database: a.in.Pool, Clock: clock.Real{}}),
		Territory: a.territory.Snapshot, Statistics: func() territory.Statistics { return a.statistics.Reader() },
		Parcels: a.parcels, Index: a.parcelIndex.Get, Addresses: a.addresses.Index, Report: a.finder.Report})
}
