package addresses

import (
	"embed"

	"arpent/internal/opendata/report"
)

//go:embed address.sql
var statements embed.FS

// Address is an address of a parcel.
type Address struct {
	report.Counted
	ID           string  `json:"id" doc:"identifier in the Base Adresse Nationale" example:"93010_i7xf1o_00012"`
	Label        string  `json:"label" doc:"The whole address in one line, to be shown." example:"12 bis Rue Jules Guesde 93140 Bondy"`
	Housenumber  *string `json:"housenumber" doc:"Number with its suffix; null where it has none." example:"12 bis"`
	Street       *string `json:"street" doc:"street or locality"`
	Postcode     *string `json:"postcode" doc:"Postcode." example:"93140"`
	Commune      *string `json:"commune" doc:"Name of the commune of the address."`
	CodeInsee    *string `json:"codeInsee" doc:"Code of the commune of the address." example:"93010"`
	Lon          float64 `json:"lon" doc:"degrees, WGS84"`
	Lat          float64 `json:"lat" doc:"degrees, WGS84"`
	PositionType *string `json:"positionType" doc:"what the position marks: entrée, bâtiment, parcelle, segment…"`
	Certified    *bool   `json:"certified" doc:"whether the commune certified the address"`
	Match        string  `json:"match" enum:"inside,cadastre,nearest" doc:"why it is matched with this parcel: its position lies inside, the producer links it to the parcel, or it is the nearest"`
	DistanceM    int     `json:"distanceM" doc:"metres from the parcel; 0 inside"`
	Asked        *bool   `json:"asked,omitempty" db:"-" doc:"Whether it is the address that was asked for by the parameter address, in address alone; false: that one is not among those of the parcel, which has this one instead. Absent where none was asked for."`
}

// Report returns the topic's part of the parcel report.
func Report() report.Topic {
	layers := []string{"adresse"}
	return report.Topic{Group: "Addresses", Files: statements, Queries: []report.Query{
		report.RowsAbout(report.Query{File: "address.sql", Args: report.Args{"radius": 30, "limit": maxAddresses},
			Weight: 3}, bestAndAll,
			report.Key{Name: "address", Layers: layers, Value: Address{}, Within: "radius",
				Doc: "The best address of the parcel in the Base Adresse Nationale: of those inside the parcel, else of those that the " +
					"producer connects with it, the certified first, then entrances, then the lowest number; else the nearest within {radius} m. " +
					"match says which: nearest is not an address of the parcel. The one that was asked for by address, where the parcel has it, and asked says whether it is that one. Null when there is none."},
			report.Key{Name: "banAddresses", Layers: layers, Value: []Address{},
				None: "no address lies inside the outline, and the producer connects none with it; one that is near is in address",
				Doc: "All addresses inside the parcel, else all that the producer connects with it, the best first, {limit} at most. " +
					"The one that was asked for by address comes first where it is among them, and the others by their distance from it. An address with several positions counts once. Empty when there is none; one that is just near is in address only."},
		)}}
}

// maxAddresses is how many of the addresses of a parcel are given: a housing estate can have hundreds.
const maxAddresses = 50

// bestAndAll returns the best address and all those of the parcel. One that is near is alone.
func bestAndAll(about *report.Subject, found []Address) []any {
	switch {
	case len(found) == 0:
		return []any{nil, found}
	case found[0].Match == "nearest":
		return []any{markAsked(about.Address, found[0]), []Address{}}
	}
	putAskedFirst(about.Address, found)
	found = found[:min(len(found), maxAddresses)]
	return []any{markAsked(about.Address, found[0]), found}
}
