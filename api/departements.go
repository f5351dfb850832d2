package api

import (
	"arpent/api/fieldset"
	"arpent/api/reply"
	"arpent/api/territory"
	"arpent/internal/opendata/stats"
)

var (
	departementCode = withRedirect(departementParam("code", "path",
		"Code of the département; `2A` and `2B` for Corsica. Overseas codes (971 to 976) answer 404."),
		(*territory.Snapshot).NoOverseas)
	regionFilter = regionParam("region", "query", "Restrict the list to one région.")
)

// departementParam is a parameter that has the code of a département, which may lack its zero, or the name.
func departementParam(name, in, description string) Param {
	return asWrittenLike(`^\s*[0-9]{1,3}\s*$|[A-Za-zÀ-ÿ]`, withExplanation(withNameLookup(withLooseCode(2,
		codeParam(name, in, `^[0-9AB]{2,3}$`, "a département code: two digits, 2A, 2B, or three overseas",
			description, "93", func(s string) bool { return isCodeOfLength(s, 2, 3, "AB") })),
		(*territory.Snapshot).DepartementNamed), (*territory.Snapshot).DescribeDepartementName))
}

// listDepartements is the row of the operations table.
func listDepartements() Operation {
	return Operation{
		Name: "list_departements", Path: "/departements", Tag: TagTerritories, Unavailable: true,
		Summary: "List the départements", SummaryFrench: "Les départements",
		Description:       "Code and name of the 96 metropolitan départements, sorted by code, optionally of one région; on request their population, or figures of fields, by which sort and top order and cut the list; those of the overseas ones are then in overseas. An overseas région answers an empty list.",
		DescriptionFrench: "Le code et le nom des 96 départements de métropole, ou de ceux d’une seule région. Les départements d’outre-mer n’y figurent pas\u00a0; avec `fields` ou `sort`, `overseas` donne leurs chiffres\u00a0; leurs communes se demandent par leur code, de 971 à 976. Une région d’outre-mer donne une liste vide.",
		Params:            append([]Param{regionFilter}, listFields(stats.Departement)...),
		Include:           []IncludeValue{includePopulation},
		Results:           []any{territory.CodeNameList{}}, Example: "/departements?region=11",
		Places: []Place{
			{"Île-de-France", "Île-de-France", "/departements?region=11"},
			{"Bretagne", "Bretagne", "/departements?region=53"},
			{"Toutes les régions", "All régions", "/departements"},
		},
		Run: onTerritory((*Handlers).Departements),
		Tools: []Tool{
			{
				Name: "list_departements", Title: "List the départements", Always: []string{"population"},
				About: "Returns code, name and population of the 96 metropolitan départements, sorted by code, or of those of one région. Use it to find a code for get_departement or list_communes. " + figuresInstead + " " +
					"Overseas départements are not in data: with fields or sort, overseas has their figures. election.presidential.round2.results.LEPEN.sharePct is the share of a candidate.",
				Example: `{"region":"11"}`,
				Invalid: "region is a code or name of list_regions; fields and sort take keys of get_departement.",
				Missing: "list_regions gives the codes of régions.",
				Page: ToolPage{Place: 6, Gives: "Code, name and population of the départements, on request of one région.",
					French:      "Énumérer les départements, d’une région ou de tout le pays",
					English:     "List the départements, of one région or of the whole country",
					FrenchAsks:  "Quels départements composent l’Occitanie\u00a0?",
					EnglishAsks: "Which départements make up Occitanie?"},
			},
		},
	}
}

// Departements answers list_departements.
func (h *Handlers) Departements(snap *territory.Snapshot, r *Request) (reply.Reply, error) {
	list, err := snap.Departements(r.Text("region"), h.listInclude(r))
	return h.listFigures(r, snap, stats.Departement, list, err)
}

// getDepartement is the row of the operations table.
func getDepartement() Operation {
	return Operation{
		Name: "get_departement", Path: "/departements/{code}", Tag: TagTerritories, Unavailable: true,
		Summary: "Get a département", SummaryFrench: "Un département",
		Description: "A metropolitan département with its area and number of communes; on request its outline, its statistics and its communes. Overseas codes (971 to 976) answer 404.",
		DescriptionFrench: "Un département, sa région et sa superficie\u00a0; sur demande, son contour, ses statistiques et la liste de ses communes. " +
			"Avec `fields`, seules les statistiques nommées sont jointes. Les codes d’outre-mer (971 à 976) donnent une erreur 404.",
		Params:  []Param{departementCode, statsFields(stats.Departement), statsThemes(stats.Departement)},
		Include: []IncludeValue{includeGeometry, includeCentre, includeBbox, includeStats, includeCommunes},
		Results: []any{territory.Departement{}}, Example: "/departements/93?include=communes",
		Places: []Place{
			{"Seine-Saint-Denis", "Seine-Saint-Denis", "/departements/93?include=communes"},
			{"Rhône", "Rhône", "/departements/69?fields=population,medianIncome"},
			{"Corse-du-Sud", "Corse-du-Sud", "/departements/2A?fields=population,medianIncome"},
		},
		Run: onTerritory((*Handlers).Departement),
		Tools: []Tool{
			{
				Name: "get_departement", Title: "Get a département with its statistics", Always: []string{"stats"},
				Takes: []string{"code", fieldset.ParamName},
				About: "Returns one metropolitan département by its code (01 to 95, 2A, 2B) or name: name, chefLieu (préfecture), région, area in km², number of communes and statistics, of all or of the keys in fields: income in euros a year, poverty and unemployment in %, offences per 1 000 inhabitants, burglaries in securite per 1 000 dwellings. " +
					"Figures are published for it or made of those of its communes: each names its source; " +
					nullIsUnknown + " Overseas codes (971 to 976) answer not_found: use get_region, and list_communes for their communes. " +
					"With include=[\"communes\"] also code and name of its communes; for these alone list_communes is smaller.",
				Example: `{"code":"93"}`,
				Invalid: "list_departements gives the codes.",
				Missing: "list_departements gives the 96 codes, and with fields figures of the overseas départements.",
				Page: ToolPage{Place: 5, Gives: "A département with its statistics, on request its communes.",
					French: "Décrire un département, chiffres compris", English: "Describe a département, figures included",
					FrenchAsks:  "Quel est le taux de pauvreté du Finistère, et son rang\u00a0?",
					EnglishAsks: "What is the poverty rate of Finistère, and its rank?"},
			},
		},
	}
}

// Departement answers get_departement.
func (h *Handlers) Departement(snap *territory.Snapshot, r *Request) (reply.Reply, error) {
	answer, err := snap.Departement(r.Text("code"), h.territoryInclude(r))
	return h.filterFields(r, stats.Departement, answer, err)
}
