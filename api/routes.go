package api

import (
	"arpent/api/parcel"
	"arpent/api/territory"
	"arpent/billing/meter"
)

// Root is the path below which all operations live.
const Root = "/api/v1"

var (
	regionCode = codeParam("code", "path", `^[0-9]{1,3}$`, "a région code of 1 to 3 digits, such as 11",
		"Code of the région in the current Code officiel géographique.", "11",
		func(s string) bool { return lengthOf(s, 1, 3, "") })
	departementCode = codeParam("code", "path", `^[0-9AB]{2,3}$`, "a département code of 2 or 3 characters, such as 75, 2A or 974",
		"Code of the département; `2A` and `2B` for Corsica. Overseas codes (971 to 976) answer 404.", "93",
		func(s string) bool { return lengthOf(s, 2, 3, "AB") })
	communeCode = codeParam("code", "path", `^[0-9AB]{5}$`, "a commune code of 5 characters, such as 93010 or 2A004 (not a postcode)",
		"Commune code of INSEE (not the postcode).", "93010",
		func(s string) bool { return lengthOf(s, 5, 5, "AB") })
	parcelIDU = codeParam("idu", "path", parcel.IDUPattern, parcel.IDUExpected,
		"Cadastral reference (IDU): commune code, 3-digit prefix, 2-character section, 4-digit number.", "930100000A0224",
		func(s string) bool { _, err := parcel.ParseIDU(s); return err == nil })

	regionFilter = codeParam("region", "query", `^[0-9]{1,3}$`, "a région code of 1 to 3 digits, such as 11",
		"Restrict the list to one région.", "11", func(s string) bool { return lengthOf(s, 1, 3, "") })
	departementFilter = codeParam("departement", "query", `^[0-9AB]{2,3}$`, "a département code of 2 or 3 characters, such as 75, 2A or 974",
		"List the communes of this département, overseas ones (971 to 976) included.", "93",
		func(s string) bool { return lengthOf(s, 2, 3, "AB") })

	latitude  = coordinate("lat", "latitude", 90, 48.9024)
	longitude = coordinate("lon", "longitude", 180, 2.4834)
)

func coordinate(name, word string, most float64, example float64) Param {
	return Param{Name: name, In: "query", Type: "number", Example: example,
		Description: "WGS84 " + word + " in decimal degrees.",
		Expected:    "a " + word + " in decimal degrees between −" + degrees(most) + " and " + degrees(most),
		Valid:       func(s string) bool { _, ok := parseDegrees(s, most); return ok }}
}

func required(p Param) Param {
	p.Required = true
	return p
}

// Operations is the operations table, in the order of the documentation.
func Operations() []Operation {
	ops := []Operation{
		{
			Name: "get_index", Path: "", Keyless: true, NotCached: true,
			Summary:     "Describe the service",
			Description: "What the service is, its endpoints, plans and how to get a key. Needs no key.",
			Results:     []any{Index{}}, Example: "", Run: (*Handlers).Index,
		},
		{
			Name: "list_regions", Path: "/regions", Unavailable: true,
			Summary:     "List the 18 régions",
			Description: "Code and name of the 18 régions, sorted by code, without geometry.",
			Results:     []any{territory.CodeNameList{}}, Example: "/regions", Run: (*Handlers).Regions,
		},
		{
			Name: "get_region", Path: "/regions/{code}", Unavailable: true,
			Summary:     "Get a région",
			Description: "A région with its area and counts; on request its outline, its statistics and its départements.",
			Params:      []Param{regionCode},
			Include:     []IncludeValue{includeGeometry, includeStats, includeDepartements},
			Results:     []any{territory.Region{}}, Example: "/regions/11?include=departements", Run: (*Handlers).Region,
		},
		{
			Name: "list_departements", Path: "/departements", Unavailable: true,
			Summary:     "List the départements",
			Description: "Code and name of the 96 metropolitan départements, sorted by code, optionally of one région. An overseas région answers an empty list.",
			Params:      []Param{regionFilter},
			Results:     []any{territory.CodeNameList{}}, Example: "/departements?region=11", Run: (*Handlers).Departements,
		},
		{
			Name: "get_departement", Path: "/departements/{code}", Unavailable: true,
			Summary:     "Get a département",
			Description: "A metropolitan département with its area and number of communes; on request its outline, its statistics and its communes. Overseas codes (971 to 976) answer 404.",
			Params:      []Param{departementCode},
			Include:     []IncludeValue{includeGeometry, includeStats, includeCommunes},
			Results:     []any{territory.Departement{}}, Example: "/departements/93?include=communes", Run: (*Handlers).Departement,
		},
		{
			Name: "find_communes", Path: "/communes", Unavailable: true,
			Summary:     "List the communes of a département, or find the commune at a point",
			Description: "With `departement`: code and name of its communes, sorted by code. With `lat` and `lon`: the commune that contains the point, with the include values of a commune. One or the other is required.",
			Params:      []Param{departementFilter, latitude, longitude},
			Include:     []IncludeValue{includeGeometry, includeStats},
			Results:     []any{territory.CodeNameList{}, territory.Commune{}},
			Example:     "/communes?lat=48.9024&lon=2.4834", Run: (*Handlers).Communes,
		},
		{
			Name: "get_commune", Path: "/communes/{code}", Unavailable: true,
			Summary:     "Get a commune",
			Description: "A commune with its département, région and area; on request its outline and its statistics.",
			Params:      []Param{communeCode},
			Include:     []IncludeValue{includeGeometry, includeStats},
			Results:     []any{territory.Commune{}}, Example: "/communes/93010", Run: (*Handlers).Commune,
		},
		searchAddress(),
		{
			Name: "get_parcel_at_point", Path: "/parcelles", Unavailable: true,
			Summary:     "Find the parcel at a point",
			Description: "The cadastral parcel that covers the point; on request its polygon.",
			Params:      []Param{required(latitude), required(longitude)},
			Include:     []IncludeValue{includeGeometry},
			Results:     []any{parcel.Parcelle{}}, Example: "/parcelles?lat=48.9024&lon=2.4834", Run: (*Handlers).ParcelleAt,
		},
		{
			Name: "get_parcel", Path: "/parcelles/{idu}", Unavailable: true,
			Summary:     "Get a parcel",
			Description: "A cadastral parcel by its reference (IDU); on request its polygon. A parcel that is gone answers 404 with the parcels that took its place.",
			Params:      []Param{parcelIDU},
			Include:     []IncludeValue{includeGeometry},
			Results:     []any{parcel.Parcelle{}}, Example: "/parcelles/930100000A0224?include=geometry", Run: (*Handlers).Parcelle,
		},
		{
			Name: "get_parcel_enrichments", Path: "/parcelles/{idu}/enrichments", Unavailable: true,
			Class: meter.Enrichments, NotCached: true,
			Summary:     "Get the full report of a parcel",
			Description: "Everything public that bears on one parcel, each key from its source. A key whose source is not loaded on this server is null. Never cached, with a tighter limit per minute.",
			Params:      []Param{parcelIDU},
			Results:     []any{Enrichments{}}, Example: "/parcelles/930100000A0224/enrichments", Run: (*Handlers).Enrichments,
		},
	}
	for i := range ops {
		ops[i].number = uint8(i)
		ops[i].Cost = 1 // so far, all of them
	}
	return ops
}

// unknownPath counts what reaches /api/v1 without being an operation.
const unknownPath = "unknown_path"

// OperationNames are the names usage is counted under, by number.
func OperationNames() []string {
	var names []string
	for _, op := range Operations() {
		names = append(names, op.Name)
	}
	return append(names, unknownPath)
}
