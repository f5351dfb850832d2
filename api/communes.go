package api

import (
	"slices"
	"strings"
	"unicode/utf8"

	"arpent/api/fieldset"
	"arpent/api/reply"
	"arpent/api/territory"
	"arpent/internal/fault"
	"arpent/internal/opendata/stats"
)

var (
	communeCode = asWrittenLike(`^\s*[0-9]{4,5}\s*$|[A-Za-zÀ-ÿ]`, withExplanation(withSearchPath("/adresses?q=",
		withNameLookup(withLooseCode(5, codeParam("code", "path", `^[0-9AB]{5}$`,
			"a commune code of 5 characters, such as 93010 or 2A004 (not a postcode)",
			"Commune code of INSEE (not the postcode).", "93010",
			func(s string) bool { return isCodeOfLength(s, 5, 5, "AB") })), (*territory.Snapshot).CommuneNamed)),
		(*territory.Snapshot).DescribeCommune))
	departementFilter = withExplanation(departementParam("departement", "query",
		"List the communes of this département, overseas ones (971 to 976) included."),
		func(snap *territory.Snapshot, text string) string {
			said := snap.DescribeDepartementName(text)
			if region, ok := snap.RegionNamed(text); ok && said != "" {
				said += " The communes of the région are ranked with region=" + region + ", sort and top, without departement."
			}
			return said
		})
	communeRegion = withExplanation(regionParam("region", "query",
		"With sort and top: rank the communes of this région."),
		func(snap *territory.Snapshot, text string) string {
			said := snap.DescribeRegionName(text)
			if departement, ok := snap.DepartementNamed(text); ok && said != "" {
				said += " Its communes are listed with departement=" + departement + ", without region."
			}
			return said
		})
	communeEPCI = asWrittenLike(`^[0-9]{9}$|[A-Za-zÀ-ÿ]`,
		withExplanation(withNameLookup(codeParam("epci", "query",
			`^[0-9]{9}$`, "the code of an intercommunal body, nine digits (SIREN)",
			"List the communes of this intercommunal body.", "200054781",
			func(s string) bool { return isCodeOfLength(s, 9, 9, "") }), (*territory.Snapshot).BodyNamed),
			(*territory.Snapshot).DescribeBodyName))
	communeCodes = withExplanation(withNameLookup(codeParam("codes", "query",
		`^[0-9AB]{5}(,[0-9AB]{5}){0,49}$`, "1 to 50 commune codes with commas between them, such as 69123,13055",
		"Only these communes.", "69123,13055", func(s string) bool {
			codes := strings.Split(s, ",")
			return len(codes) <= maxCodes && !slices.ContainsFunc(codes, func(code string) bool {
				return !isCodeOfLength(code, 5, 5, "AB")
			})
		}), (*territory.Snapshot).CommunesNamed), (*territory.Snapshot).DescribeCommuneNames)
	minPopulation = Param{Name: "minPopulation", In: "query", Type: "integer", Example: 2000, Min: 1, Max: 10_000_000,
		Description: "In lists: only communes of so many inhabitants or more (population.latest.municipal), so that rates of a few do not come first.",
		Expected:    "a whole number between 1 and 10000000",
		Valid:       func(s string) bool { _, ok := parseCount(s, 10_000_000); return ok }}
	nameFilter = Param{Name: "name", In: "query", Type: "string", Example: "saint", MaxLength: maxName,
		Description: "With departement: only communes with this in their name. Accents, capitals, hyphens and apostrophes do not matter, and st is read as saint. Where there is none, those that have it but for one typing error.",
		Expected:    "1 to 100 characters with a letter or digit",
		Valid: func(s string) bool {
			return utf8.ValidString(s) && utf8.RuneCountInString(s) <= maxName && territory.FoldName(s) != ""
		}}
)

// maxName is how long a part of a name may be, maxCodes how many communes a list may name.
const (
	maxName  = 100
	maxCodes = 50
)

// findCommunes is the row of the operations table.
func findCommunes() Operation {
	return Operation{
		Name: "find_communes", Path: "/communes", Tag: TagTerritories, Unavailable: true,
		Summary:       "List the communes of a département, rank those of France, or find the one at a point",
		SummaryFrench: "Les communes d’un département, les premières de France, ou celle d’un point",
		Description:   "With `departement` or `epci`: code and name of its communes, with `codes` of those that it names, sorted by code, with `name` of those that have it in their name, with `fields` their figures, by which `sort` and `top` order and cut the list, and with `minPopulation` of those of so many inhabitants or more. With `sort` and `top` and no `departement`: the first communes of France, or of `region`, by a figure. With `lat` and `lon`: the commune that contains the point, with the include values of a commune. One of these is required.",
		DescriptionFrench: "Trois usages\u00a0: la liste des communes d’un département, que `name` restreint à celles de ce nom, d’une intercommunalité (`epci`) ou que `codes` nomme\u00a0; avec `sort` et `top`, " +
			"les premières de France, ou de `region`, selon un chiffre (`minPopulation` écarte les petites)\u00a0; ou celle du point `lat`, `lon`.",
		Params: append([]Param{departementFilter, nameFilter, latitude, longitude, communeRegion,
			minPopulation, communeEPCI, communeCodes},
			listFields(stats.Commune)...),
		Include: []IncludeValue{includeGeometry, includeCentre, includeBbox, includeStats},
		Results: []any{territory.CodeNameList{}, territory.Commune{}},
		Example: "/communes?lat=48.9024&lon=2.4834",
		Places: []Place{
			{"Un point à Bondy", "A point in Bondy", "/communes?lat=48.9024&lon=2.4834"},
			{"Un point à Bron", "A point in Bron", "/communes?lat=45.735&lon=4.91"},
			{"Les communes de La Réunion", "The communes of La Réunion", "/communes?departement=974"},
			{"Les communes de Rennes Métropole", "The communes of Rennes Métropole", "/communes?epci=243500139"},
			{"Les dix communes les plus peuplées", "The ten largest communes", "/communes?sort=population.latest.municipal&top=10"},
		},
		Run: (*Handlers).Communes,
		Tools: []Tool{
			{
				Name: "find_commune", Title: "Find the commune at a point", Takes: []string{"lat", "lon"},
				Needs: []string{"lat", "lon"}, Result: 1,
				About: "Returns the commune that contains a WGS84 point: code, name, département, région, area in km². " +
					"With include=[\"stats\"] it brings the statistics of get_commune too. For the parcel at the point use get_parcel_at_point, for a name search_address. A point outside France or at sea answers not_found, with the nearest commune.",
				Example: `{"lat":48.9024,"lon":2.4834}`,
				Invalid: "find_commune takes lat and lon, both in decimal degrees; to list the communes of a département use list_communes.",
				Missing: "Check that lat and lon are not swapped: metropolitan France lies between lat 41 and 51.5 and lon −5.5 and 10.",
				Page: ToolPage{Place: 2, Gives: "The commune that contains a point.",
					French: "Dire dans quelle commune tombe un point", English: "Find the commune that a point falls in",
					FrenchAsks:  "Dans quelle commune se trouve le point 45,7640\u00a0; 4,8357\u00a0?",
					EnglishAsks: "Which commune is the point 45.7640, 4.8357 in?"},
			},
			{
				Name: "list_communes", Title: "List or rank communes", Takes: []string{"departement", "name",
					communeEPCI.Name, communeCodes.Name, "region",
					minPopulation.Name, fieldset.ParamName, sortName, topName}, NoInclude: true, Table: true,
				About: "Returns code (codeInsee) and name of all communes of one département, sorted by code, overseas ones (971 to 976) included, up to 25 kB; with name only those whose name has it; or those of one intercommunal body (epci, by name or number: Rennes Métropole), count is their number; or of several that codes names (Lyon,Marseille). " + figuresInstead +
					" Without these, sort and top rank the communes of France, or of region. Where hamlets lead a ranking by a rate (smallBase), minPopulation leaves them out. rankings.medianIncome.national.rank is the place among all communes of France. Each item of data is a row, with the values that columns names.",
				Example: `{"departement":"93","sort":"revenus.medianIncome","top":5}`,
				Invalid: "It takes departement, epci, codes, or sort and top, with region for those of one région. departement is a code or name; a name alone is found by search_address; fields and sort take keys of get_commune.",
				Missing: "list_departements gives the codes of the metropolitan ones; overseas they are 971 to 974 and 976.",
				Page: ToolPage{Place: 4, Gives: "Code and name of the communes of a département, overseas ones included; the first of France or of a région by a figure.",
					French:      "Énumérer les communes d’un département, ou les classer dans tout le pays",
					English:     "List the communes of a département, or rank those of the country",
					FrenchAsks:  "Quelles communes compte la Seine-Saint-Denis\u00a0?",
					EnglishAsks: "Which communes are there in Seine-Saint-Denis?"},
			},
		},
	}
}

// Communes answers find_communes, in one of its forms.
func (h *Handlers) Communes(r *Request) (reply.Reply, error) {
	byDepartement, hasLat, hasLon := r.Given("departement"), r.Given("lat"), r.Given("lon")
	byEPCI, byCodes := r.Given(communeEPCI.Name), r.Given(communeCodes.Name)
	isList := byDepartement || byEPCI || byCodes
	isSorted, isCut, hasRegion := r.Given(sortName), r.Given(topName), r.Given(communeRegion.Name)
	switch {
	case r.Given("name") && !byDepartement:
		return reply.Reply{}, fault.Invalid("name is given without departement; expected both.").About(
			"departement").
			Instead("A name alone is found by /adresses?q=.", "A name alone is found by search_address.")
	case byEPCI && (byDepartement || hasRegion || hasLat || hasLon):
		return reply.Reply{}, fault.Invalid("epci is given with departement, region, lat or lon; expected one of them").
			About(communeEPCI.Name)
	case byCodes && (byEPCI || byDepartement || hasRegion || hasLat || hasLon):
		return reply.Reply{}, fault.Invalid(
			"codes is given with epci, departement, region, lat or lon; expected one of them").
			About(communeCodes.Name)
	case byDepartement && (hasLat || hasLon):
		return reply.Reply{}, fault.Invalid("departement and lat/lon are both given; expected one or the other").About("departement")
	case byDepartement && hasRegion:
		return reply.Reply{}, fault.Invalid("departement and region are both given; expected one or the other").About(communeRegion.Name)
	case hasLat != hasLon:
		return reply.Reply{}, fault.Invalid("%s is missing; expected lat and lon together",
			missingCoordinate(hasLat)).About(missingCoordinate(hasLat))
	case hasLat && (isSorted || isCut || hasRegion || r.Given(minPopulation.Name)):
		return reply.Reply{}, fault.Invalid("sort, top, region and minPopulation are for lists; lat and lon find one commune").About("lat")
	case !isList && !hasLat && !isSorted && !isCut && !hasRegion:
		return reply.Reply{}, fault.Invalid("departement is missing; expected departement, epci or codes, or lat and lon together, or sort and top to rank all communes").About("departement")
	case !isList && !hasLat && (!isSorted || !isCut):
		return reply.Reply{}, fault.Invalid("%s is missing; without departement expected sort and top together, such as sort=%s&top=10",
			missingOrder(isSorted), listExamples[stats.Commune]).About(missingOrder(isSorted))
	case !hasLat && r.Include != 0:
		return reply.Reply{}, fault.Invalid("include is given without lat and lon; the list of communes takes no include value").About("include")
	}
	snap, err := h.territoryFor(r)
	switch {
	case err != nil:
		return reply.Reply{}, err
	case isList:
		return h.listCommunes(r, snap)
	case !hasLat:
		return h.rankCommunes(r, snap)
	}
	lat, lon := r.Point()
	answer, err := snap.CommuneAt(lat, lon, h.territoryInclude(r))
	return h.filterFields(r, stats.Commune, answer, err)
}

func missingOrder(isSorted bool) string {
	if isSorted {
		return topName
	}
	return sortName
}

func missingCoordinate(hasLat bool) string {
	if hasLat {
		return "lon"
	}
	return "lat"
}

// getCommune is the row of the operations table.
func getCommune() Operation {
	return Operation{
		Name: "get_commune", Path: "/communes/{code}", Tag: TagTerritories, Unavailable: true,
		Summary: "Get a commune", SummaryFrench: "Une commune",
		Description: "A commune with its département, région and area; on request its outline and its statistics.",
		DescriptionFrench: "Une commune d’après son code INSEE, qui n’est pas le code postal\u00a0: son département, sa région, sa superficie et, sur demande, son contour et ses statistiques " +
			"(population, revenus, logement, emploi, finances, sécurité, élections, santé, climat, risques, écoles). Chaque chiffre porte sa source et son année\u00a0; null veut dire que le chiffre n’est pas connu, jamais zéro.",
		Params:  []Param{communeCode, communeFields(), statsThemes(stats.Commune)},
		Include: []IncludeValue{includeGeometry, includeCentre, includeBbox, includeStats},
		Results: []any{territory.Commune{}}, Example: "/communes/93010?fields=population,revenus",
		Places: []Place{
			{"Bondy", "Bondy", "/communes/93010?fields=population,revenus"},
			{"Rennes", "Rennes", "/communes/35238?fields=population,revenus"},
			{"Ajaccio", "Ajaccio", "/communes/2A004?fields=population,revenus"},
		},
		Run: onTerritory((*Handlers).Commune),
		Tools: []Tool{
			{
				Name: "get_commune", Title: "Get a commune with its statistics", Always: []string{"stats"},
				Takes: []string{"code", fieldset.ParamName},
				About: "Returns one commune by INSEE code or name: area, chefLieuOf (préfecture; sous-préfectures are not known), former communes since 1943 and statistics on population, income (euros a year), poverty (%), housing, sale prices, employment, finances, offences, elections, services, health, environment. " +
					"For one question name the keys: fields=[\"population\"]. Some keys: equipements (shops), apl (access to doctors), anfr (mobile networks), catnat (disasters), parcels. Only if named: neighbours (communes that touch it), prices, equipementTypes, icpe, pollutedSites, qpv. Each block names its source and year; " +
					nullIsUnknown + " " +
					"With a postcode call search_address first, with coordinates find_commune. Arrondissements have names (Paris 18e) and codes (75118).",
				Example: `{"code":"93010"}`,
				Invalid: "code takes a name, too, such as Bondy. A postcode is not a commune code, nor is the number of a grouping of communes, whose communes list_communes has by epci: " + findCode,
				Missing: "Communes merge and change their code, and postcodes of CEDEX are those of organisations: " + findCode,
				Page: ToolPage{Place: 3, Gives: "A commune with its statistics.",
					French: "Décrire une commune, chiffres compris", English: "Describe a commune, figures included",
					FrenchAsks:  "Comment la population de Bondy a-t-elle évolué\u00a0?",
					EnglishAsks: "How has the population of Bondy changed?"},
			},
		},
	}
}

// communeFields is the parameter fields of a commune.
func communeFields() Param {
	p := statsFields(stats.Commune)
	keys := p.Values
	p.Values = func() []string { return append(slices.Clip(keys()), fieldset.ParcelsName, fieldset.NeighboursName) }
	return p
}

// Commune answers get_commune. The code of an arrondissement is that of no commune, and not found; tools take
// it for the arrondissement.
func (h *Handlers) Commune(snap *territory.Snapshot, r *Request) (reply.Reply, error) {
	if err := snap.NoCommune(r.Text("code")); err != nil && !r.arguments.ofTool {
		return reply.Reply{}, err
	}
	answer, err := snap.Commune(r.Text("code"), h.territoryInclude(r))
	return h.filterFields(r, stats.Commune, answer, err)
}
