package figures

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"arpent/api/territory"
	"arpent/internal/opendata/stats"
)

// censusRates are figures by the census that say nearly what others say by a source that may not be loaded.
var censusRates = map[string]string{
	"unemploymentRate":                "rankings.censusUnemploymentRate.value",
	"rankings.unemploymentRate.value": "rankings.censusUnemploymentRate.value",
}

// DescribeCensusRate names, for a rate that no item of a list has, that by the census, if some have it. It
// begins with a blank; empty: there is none.
func DescribeCensusRate(ctx context.Context, items []territory.CodeName, field string, level stats.Level,
	from Reader) (string, error) {
	other, hasOther := censusRates[field]
	if !hasOther {
		return "", nil
	}
	rows, _, err := Read(ctx, items[:min(len(items), 100)], []string{other}, level, from)
	if !slices.ContainsFunc(rows, func(row Row) bool { return row.Figures[0].Type == gjson.Number }) {
		return "", err
	}
	return " " + other + ", by the census, is loaded in place of " + field + ".", err
}

// PointToCommunes says that communes have a figure, field of their statistics, which no item of a list of
// départements or régions has: the chefs-lieux of some are asked. It begins with a blank; empty: they do not.
func PointToCommunes(ctx context.Context, items []territory.CodeName, field string, level stats.Level, from Reader) (
	string, error,
) {
	if field == "" || level == stats.Commune {
		return "", nil
	}
	var chefsLieux []territory.CodeName
	for _, item := range items[:min(len(items), 20)] {
		if of := from.Areas.ChefLieuOf(level, item.Code); of != nil {
			chefsLieux = append(chefsLieux, territory.CodeName{CodeInsee: of.CodeInsee})
		}
	}
	rows, _, err := Read(ctx, chefsLieux, []string{field}, stats.Commune, from)
	if !slices.ContainsFunc(rows, func(row Row) bool { return row.Figures[0].Type == gjson.Number }) {
		return "", err
	}
	return " Communes have " + field + ": /communes (tool list_communes).", err
}

// DescribeMissingElections names the elections that are newer than those of which the fields have figures,
// and that no source is loaded of. It begins with a blank; empty: there are none.
func DescribeMissingElections(items []territory.CodeName, fields []string, level stats.Level, from Reader) string {
	text := ""
	var named []string
	for _, field := range fields {
		key, part, _ := strings.Cut(field, ".")
		kind, _, _ := strings.Cut(part, ".")
		if key != "election" || len(items) == 0 || slices.Contains(named, kind) {
			continue
		}
		named = append(named, kind)
		body := from.Of(level, cmp.Or(items[0].Code, items[0].CodeInsee)).Append(nil)
		for _, missing := range gjson.GetBytes(body, "election.notLoaded").Array() {
			if of := missing.Get("kind").Str; of == kind || kind == "" {
				text += fmt.Sprintf(" The %s election of %d is not loaded at this level (source %s).", of, missing.Get("year").Int(),
					missing.Get("source").Str)
			}
		}
	}
	return text
}

// maxSourcesNamed is how many sources of a field DescribeMixedSources names.
const maxSourcesNamed = 3

// DescribeMixedSources names the sources of each field whose numbers are of several, which registers of
// different things may be. It begins with a blank; empty: there are none.
func DescribeMixedSources(rows []Row, fields []string) (text string) {
	for nth, field := range fields {
		var sources []string
		counts := map[string]int{}
		for _, row := range rows {
			source := row.origins[nth].Source
			if row.Figures[nth].Type != gjson.Number || source == "" {
				continue
			}
			if counts[source] == 0 {
				sources = append(sources, source)
			}
			counts[source]++
		}
		if len(sources) < 2 {
			continue
		}
		slices.SortStableFunc(sources, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
		text += fmt.Sprintf(" %s is of %d sources here, which may not count the same:", field, len(sources))
		for i, source := range sources[:min(len(sources), maxSourcesNamed)] {
			if i > 0 {
				text += ";"
			}
			text += fmt.Sprintf(" %s (%d)", source, counts[source])
		}
		text += "."
	}
	return text
}
