package mcp

const (
	nullIsUnknown = "null means that no loaded source tells, never zero."
	findCode      = "search_address gives commune codes."
)

// rows is the table of tools. Clients see them in the order of their names.
var rows = []row{
	{
		Name: "search_address", Operation: "search_address", Title: "Search an address or place",
		About: "Finds French addresses, streets, localities and communes from free text and returns them best first: kind, label to show, score from 0 to 1, postcode, commune code (codeInsee) and WGS84 coordinates. " +
			"Use it first whenever you have a name or an address and another tool needs a code or a point: get_commune takes codeInsee, get_parcel_at_point takes lat and lon. " +
			"Look at kind and score before relying on the first answer: from about 0.8 the whole query was found. Nothing found is count 0, not an error. lat and lon, given together, prefer what is near. limit defaults to 5 (1 to 20).",
		Example: `{"q":"12 allée des Roses, Bondy","limit":3}`,
		Invalid: "q is 1 to 200 characters; lat and lon come together.",
		Missing: "Try a shorter query.",
	},
	{
		Name: "get_commune", Operation: "get_commune", Title: "Get a commune with its statistics", Always: []string{"stats"},
		About: "Returns one commune by its INSEE code: name, département, région, area in km² and all statistics: population by census year, income (euros a year), poverty (%), housing, employment, municipal finances, recorded offences, elections, mayor, rankings, facilities, doctors, travel times, water and air quality, climate. " +
			"Each block tells its source and year; " + nullIsUnknown + " Use it for questions about life in a town. " +
			"With a name or postcode call search_address first, with coordinates find_commune. Arrondissements of Paris, Lyon and Marseille (75101 …) are not communes: use 75056, 69123, 13055.",
		Example: `{"code":"93010"}`,
		Invalid: "A postcode is not a commune code: " + findCode,
		Missing: "Communes merge and change their code: " + findCode,
	},
	{
		Name: "get_departement", Operation: "get_departement", Title: "Get a département with its statistics", Always: []string{"stats"},
		About: "Returns one metropolitan département by its code (01 to 95, 2A, 2B): name, région, area in km², number of communes and statistics: population, income (euros a year), poverty and unemployment (%), housing, recorded offences per 1 000 inhabitants, finances, life expectancy, elections, rankings. " +
			"Figures are computed over its communes where that is possible; " + nullIsUnknown + " Overseas codes (971 to 976) answer not_found; their communes are in list_communes. " +
			"With include=[\"communes\"] also code and name of its communes; for these alone list_communes is smaller.",
		Example: `{"code":"93"}`,
		Invalid: "list_departements gives the codes.",
		Missing: "list_departements gives the 96 codes; overseas there is list_communes with departement.",
	},
	{
		Name: "get_region", Operation: "get_region", Title: "Get a région with its statistics", Always: []string{"stats"},
		About: "Returns one of the 18 régions by its code: name, area in km², number of communes and départements, and statistics: population, income (euros a year), poverty and unemployment (%), housing, GDP, migration, recorded offences per 1 000 inhabitants, finances, life expectancy, turnout, rankings among the régions. " +
			nullIsUnknown + " Use it for regional questions; get_departement or get_commune are finer. With include=[\"departements\"] also code and name of its départements.",
		Example: `{"code":"11","include":["departements"]}`,
		Invalid: "list_regions gives the codes.",
		Missing: "list_regions gives the 18 codes.",
	},
	{
		Name: "find_commune", Operation: "find_communes", Title: "Find the commune at a point", Takes: []string{"lat", "lon"}, Needs: []string{"lat", "lon"}, Result: 1,
		About: "Returns the commune that contains a WGS84 point: code, name, département, région, area in km². Use it when you have coordinates and want to know where they are. " +
			"With include=[\"stats\"] it brings the same statistics as get_commune, in one request instead of two. For the cadastral parcel at the point use get_parcel_at_point, for a name or an address search_address. A point outside France or at sea answers not_found.",
		Example: `{"lat":48.9024,"lon":2.4834}`,
		Invalid: "find_commune takes lat and lon, both in decimal degrees; to list the communes of a département use list_communes.",
		Missing: "Check that lat and lon are not swapped: metropolitan France lies between lat 41 and 51.5 and lon −5.5 and 10.",
	},
	{
		Name: "list_communes", Operation: "find_communes", Title: "List the communes of a département", Takes: []string{"departement"}, Needs: []string{"departement"},
		About: "Returns code (codeInsee) and name of all communes of one département, sorted by code, overseas ones (971 to 976) included; complete, never in pages: up to about 900 communes, 40 kB. " +
			"Use it to go through a département or to look up codes by name. For one commune whose name you know search_address is smaller; for figures call get_commune with a code.",
		Example: `{"departement":"93"}`,
		Invalid: "list_communes takes departement only; to find the commune at a point use find_commune.",
		Missing: "list_departements gives the codes of the metropolitan ones; overseas they are 971 to 974 and 976.",
	},
	{
		Name: "list_departements", Operation: "list_departements", Title: "List the départements",
		About: "Returns code and name of the 96 metropolitan départements, sorted by code, or of those of one région. Use it to find a code for get_departement or list_communes. " +
			"Overseas départements are not in the list: an overseas région answers count 0, and their communes are reached with list_communes.",
		Example: `{"region":"11"}`,
		Invalid: "list_regions gives the codes of régions.",
		Missing: "list_regions gives the codes of régions.",
	},
	{
		Name: "list_regions", Operation: "list_regions", Title: "List the régions",
		About:   "Returns code and name of the 18 régions of France, sorted by code, overseas ones included. Takes no arguments. Use it to find a code for get_region or for the region of list_departements.",
		Example: `{}`,
	},
	{
		Name: "get_parcel_at_point", Operation: "get_parcel_at_point", Title: "Get the cadastral parcel at a point",
		About: "Returns the cadastral parcel that covers a WGS84 point: reference (idu, 14 characters), commune, section, number and recorded area in m² (contenance; null where no source tells). Use it for the land at an address: search_address first, then this with its lat and lon. " +
			"The point of an address may lie in the street: then try one a few metres aside. For a known reference use get_parcel, for risks, sales, planning and services around it get_parcel_enrichments with the idu.",
		Example: `{"lat":48.9024,"lon":2.4834}`,
		Invalid: "Both lat and lon are needed, in decimal degrees.",
		Missing: "Roads and water have no parcel: try a point a few metres aside, and check that lat and lon are not swapped.",
	},
	{
		Name: "get_parcel", Operation: "get_parcel", Title: "Get a cadastral parcel by its reference",
		About: "Returns one cadastral parcel by its reference (IDU: commune code, 3-digit prefix, 2-character section, 4-digit number): commune, section, number, sheet and recorded area in m² (null where no source tells). " +
			"A parcel that was divided or merged answers not_found with those that took its place. Without the reference use get_parcel_at_point; for all that bears on the parcel get_parcel_enrichments.",
		Example: `{"idu":"930100000A0224"}`,
		Invalid: "With an address instead of a reference use search_address, then get_parcel_at_point.",
		Missing: "If the message names other parcels, call get_parcel with one of them; otherwise find the parcel with get_parcel_at_point.",
	},
	{
		Name: "get_parcel_enrichments", Operation: "get_parcel_enrichments", Title: "Get the full report of a parcel",
		About: "Returns everything public that bears on one parcel: addresses, sales (euros) and energy ratings, natural and industrial risks, planning and easements, land use and nature, monuments, businesses, traffic, fibre, transport, schools and services nearby (distances in metres). " +
			"Use it for due diligence on a place; get_parcel is enough for area and commune. Lists are empty and objects null where nothing applies; a key whose source is not loaded here is null: see sources, which also gives producer, licence and date. " +
			"dvfEstimate is an order of magnitude, not a valuation. The most expensive tool: ask once for a parcel and keep the result.",
		Example: `{"idu":"930100000A0224"}`,
		Invalid: "With an address instead of a reference use search_address, then get_parcel_at_point.",
		Missing: "If the message names other parcels, call again with one of them; otherwise find the parcel with get_parcel_at_point.",
	},
}

// instructions are what a client tells its model about the server as a whole, under 2 kB.
func instructions(serviceName, baseURL string) string {
	return serviceName + " answers questions about places in France from public open data: régions, départements, communes (with statistics) and cadastral parcels (with a report on risks, sales, planning and services).\n\n" +
		"Where to begin: with a name or an address call search_address; it gives the commune code and coordinates. With coordinates call find_commune or get_parcel_at_point. Codes are those of INSEE, not postcodes; départements are 01 to 95, 2A, 2B, overseas 971 to 976.\n" +
		"- Figures on a town: get_commune. On a wider area: get_departement, get_region.\n" +
		"- Land: get_parcel_at_point or get_parcel, then get_parcel_enrichments for the full report.\n" +
		"- Lists of codes: list_regions, list_departements, list_communes.\n\n" +
		"What is absent: null means that no source loaded here tells. It never means zero or no; say that it is not known. An empty list means that the source was searched and holds nothing there. Figures carry their year and source: quote them.\n\n" +
		"Cost: each call counts as one request of the account (by day and by minute). Errors are texts that say what to do next.\n\n" +
		"Licence: Open licence 2.0 (Licence Ouverte / Etalab). Reuse is free, commercial reuse included, if the source is credited: naming " + serviceName + " with a link to " + baseURL + " is enough. Reports name sources under other licences. Documentation: " + baseURL + "/docs"
}
