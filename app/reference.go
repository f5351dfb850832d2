package app

import (
	"slices"

	"arpent/api"
	"arpent/api/source"
	"arpent/api/topic"
	"arpent/web"
	"arpent/web/public"
	"arpent/web/reference"
	"arpent/web/search"
)

func newReference(site *web.Site, serviceName, baseURL string) *reference.Pages {
	return reference.New(reference.Options{Site: site, BaseURL: baseURL, Document: api.Describe(serviceName, baseURL), Sources: fieldSources()})
}

func newSearch(site *web.Site, pages *public.Pages, ref *reference.Pages) *search.Pages {
	return search.New(search.Options{Site: site, Summary: pages.Summary, Reference: ref.Markdown,
		Documents: func(f web.Frame) []web.Document { return slices.Concat(pages.Documents(f), ref.Documents(f)) }})
}

// fieldSources are the data sets that each key of the report and of the statistics is made from.
func fieldSources() reference.Sources {
	out := reference.Sources{}
	catalogue := map[string]source.Source{}
	for _, s := range topic.Sources() {
		catalogue[s.Name] = s
	}
	for _, k := range topic.Report().Keys() {
		var names []string
		for _, s := range topic.Sources() {
			if slices.ContainsFunc(s.Covers, func(c source.Coverage) bool { return k.DrawsOn(c.Layer) }) {
				names = append(names, s.Name)
			}
		}
		out["get_parcel_enrichments enrichments."+k.Name] = credits(editions(names, catalogue))
	}
	for _, level := range statisticsLevels {
		for _, k := range topic.Statistics().Describe(level) {
			out["get_"+string(level)+" stats."+k.Key] = credits(editions(k.Sources, catalogue))
		}
	}
	return out
}

// credits name data sets with their producers.
func credits(sources []public.StatisticsSource) (out []string) {
	for _, s := range sources {
		out = append(out, s.Producer+", "+s.Title)
	}
	return out
}
