package api

import (
	"arpent/api/fieldset"
	"arpent/api/reply"
	"arpent/api/territory"
	"arpent/internal/opendata/stats"
)

var regionCode = regionParam("code", "path", "Code of the région in the current Code officiel géographique.")

// regionParam is a parameter that has the code of a région or its name.
func regionParam(name, in, description string) Param {
	return asWrittenLike(`^[0-9]{1,3}$|[A-Za-zÀ-ÿ]`, withExplanation(withNameLookup(codeParam(name, in,
		`^[0-9]{1,3}$`, "a région code of 1 to 3 digits, such as 11", description, "11",
		func(s string) bool { return isCodeOfLength(s, 1, 3, "") }), (*territory.Snapshot).RegionNamed),
		(*territory.Snapshot).DescribeRegionName))
}

// listRegions is the row of the operations table.
func listRegions() Operation {
	return Operation{
		Name: "list_regions", Path: "/regions", Tag: TagTerritories, Unavailable: true,
		Summary: "List the 18 régions", SummaryFrench: "Les 18 régions",
		Description:       "Code and name of the 18 régions, sorted by code, without geometry; on request their population, or figures of fields, by which sort and top order and cut the list.",
		DescriptionFrench: "Le code et le nom des 18 régions, outre-mer compris, classées par code. Le code sert ensuite à demander une région ou la liste de ses départements.",
		Params:            listFields(stats.Region),
		Include:           []IncludeValue{includePopulation},
		Results:           []any{territory.CodeNameList{}}, Example: "/regions",
		Places: []Place{
			{"Les 18 régions", "The 18 régions", "/regions"},
			{"Les 18 régions, avec leur population", "The 18 régions, with their population",
				"/regions?include=population"},
			{"Les régions, du chômage le plus haut au plus bas", "The régions by unemployment, highest first",
				"/regions?sort=rankings.censusUnemploymentRate.value"},
		},
		Run: onTerritory((*Handlers).Regions),
		Tools: []Tool{
			{
				Name: "list_regions", Title: "List the régions", Always: []string{"population"},
				About: "Returns code, name and population of the 18 régions of France, sorted by code, overseas ones included. " + figuresInstead +
					" The codes are for get_region, and for the region of list_departements.",
				Example: `{"sort":"rankings.censusUnemploymentRate.value","top":3}`,
				Invalid: "fields and sort take keys of get_region.",
				Page: ToolPage{Place: 8, Gives: "Code, name and population of the 18 régions.",
					French: "Énumérer les régions", English: "List the régions",
					FrenchAsks:  "Quelles sont les régions de France, avec leur code\u00a0?",
					EnglishAsks: "What are the régions of France, with their codes?"},
			},
		},
	}
}

// Regions answers list_regions.
func (h *Handlers) Regions(snap *territory.Snapshot, r *Request) (reply.Reply, error) {
	list, err := snap.Regions(h.listInclude(r))
	return h.listFigures(r, snap, stats.Region, list, err)
}

// getRegion is the row of the operations table.
func getRegion() Operation {
	return Operation{
		Name: "get_region", Path: "/regions/{code}", Tag: TagTerritories, Unavailable: true,
		Summary: "Get a région", SummaryFrench: "Une région",
		Description: "A région with its area and counts; on request its outline, its statistics and its départements.",
		DescriptionFrench: "Une région, sa superficie et le nombre de ses départements et de ses communes\u00a0; sur demande, son contour, ses statistiques et la liste de ses départements. " +
			"Avec `fields`, seules les statistiques nommées sont jointes.",
		Params:  []Param{regionCode, statsFields(stats.Region), statsThemes(stats.Region)},
		Include: []IncludeValue{includeGeometry, includeCentre, includeBbox, includeStats, includeDepartements},
		Results: []any{territory.Region{}}, Example: "/regions/11?include=departements",
		Places: []Place{
			{"Île-de-France", "Île-de-France", "/regions/11?include=departements"},
			{"Bretagne", "Bretagne", "/regions/53?fields=population,medianIncome"},
			{"Corse", "Corse", "/regions/94?include=departements"},
		},
		Run: onTerritory((*Handlers).Region),
		Tools: []Tool{
			{
				Name: "get_region", Title: "Get a région with its statistics", Always: []string{"stats"},
				Takes: []string{"code", fieldset.ParamName},
				About: "Returns one of the 18 régions by its code or name: name, chefLieu, area in km², number of communes and départements, and statistics, of all or of the keys in fields: income in euros a year, poverty and unemployment in %, offences per 1 000 inhabitants. " +
					nullIsUnknown + " Use it for regional questions; get_departement or get_commune are finer. With include=[\"departements\"] also code and name of its départements.",
				Example: `{"code":"11","include":["departements"]}`,
				Invalid: "list_regions gives the codes.",
				Missing: "list_regions gives the 18 codes.",
				Page: ToolPage{Place: 7, Gives: "A région with its statistics, on request its départements.",
					French: "Décrire une région, chiffres compris", English: "Describe a région, figures included",
					FrenchAsks:  "Combien de communes et d’habitants compte la Bretagne\u00a0?",
					EnglishAsks: "How many communes and inhabitants has Brittany?"},
			},
		},
	}
}

// Region answers get_region.
func (h *Handlers) Region(snap *territory.Snapshot, r *Request) (reply.Reply, error) {
	answer, err := snap.Region(r.Text("code"), h.territoryInclude(r))
	return h.filterFields(r, stats.Region, answer, err)
}
