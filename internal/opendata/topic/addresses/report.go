package addresses

import (
	"cmp"
	"embed"
	"slices"

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
	Match        string  `json:"match" enum:"inside,cadastre,nearest,near" doc:"why it is matched with this parcel: its position lies inside, the producer links it to the parcel, or this is the parcel nearest to its position, up to 50 m away, as the search gives it; near, in address alone: it is only near, and of another parcel"`
	DistanceM    int     `json:"distanceM" doc:"metres from the parcel; 0 inside"`
	Asked        *bool   `json:"asked,omitempty" db:"-" doc:"Whether it is the address that was asked for by the parameter address, in address alone; false: that one is not among those of the parcel, which has this one instead. Absent where none was asked for."`
}

// ReachMetres is how far the position of an address, at the gate or in the street, may lie from its parcel.
// The search and the report have the same.
const ReachMetres = 50

// Report returns the topic's part of the parcel report.
func Report() report.Topic {
	layers := []string{"adresse"}
	return report.Topic{Group: "Addresses", Files: statements, Queries: []report.Query{
		report.RowsAbout(report.Query{File: "address.sql",
			Args:   report.Args{"radius": ReachMetres, "limit": maxAddresses, "candidates": maxCandidates},
			Weight: 3}, bestAndAll,
			report.Key{Name: "address", Layers: layers, Value: Address{}, Within: "radius",
				Doc: "The best address of the parcel in the Base Adresse Nationale: of those inside the parcel, else of those that the " +
					"producer connects with it, the certified first, then entrances, then the lowest " +
					"number; else, of those that have no parcel nearer than this one, the nearest; else " +
					"the nearest within {radius} m. " +
					"match says which: near is not an address of the parcel. The one that was asked for " +
					"by address, where the parcel has it, and asked says whether it is that one. Null " +
					"when there is none."},
			report.Key{Name: "banAddresses", Layers: layers, Value: []Address{},
				None: "no address lies inside the outline, the producer connects none with it, and it " +
					"is the nearest parcel of none; one that is near is in address",
				Doc: "All addresses inside the parcel, then all that the producer connects with it, " +
					"then those outside all parcels of which it is the nearest, as " +
					"the search gives it: match and distanceM say which. The best first, {limit} at most. " +
					"The one that was asked for by address comes first where it is among them, and the " +
					"others by their distance from it. An address with several positions counts once. " +
					"Empty when there is none; one that is just near is in address only."})}}
}

// maxAddresses is how many of the addresses of a parcel are given: a housing estate can have hundreds.
const maxAddresses = 50

// maxCandidates is how many addresses in and around a parcel are looked at.
const maxCandidates = 1000

// bestAndAll returns the best address and all those of the parcel: those whose parcel it is as the search
// finds it, and those that the producer connects with it. One that is near is alone.
func bestAndAll(about *report.Subject, found []Address) []any {
	own := make([]Address, 0, len(found))
	near := Address{}
	for _, a := range found {
		idu, metres, ok := about.ParcelNear(a.Lat, a.Lon)
		switch {
		case ok && idu == about.IDU && metres == 0:
			a.Match, a.DistanceM = "inside", 0
		case a.Match == "cadastre":
		case ok && idu == about.IDU:
			a.Match, a.DistanceM = "nearest", metres
		default:
			if near.ID == "" || a.DistanceM < near.DistanceM {
				near = a
				near.Match = "near"
			}
			continue
		}
		own = append(own, a)
	}
	switch {
	case len(own) > 0:
		slices.SortStableFunc(own, func(a, b Address) int {
			return cmp.Compare(slices.Index(matches, a.Match), slices.Index(matches, b.Match))
		})
		if len(found) < maxCandidates {
			own[0].Total = len(own)
		}
	case near.ID != "":
		return []any{markAsked(about.Address, near), own}
	default:
		return []any{nil, own}
	}
	total := own[0].Total
	putAskedFirst(about.Address, own)
	own[0].Total = total
	own = own[:min(len(own), maxAddresses)]
	return []any{markAsked(about.Address, own[0]), own}
}

// matches are the ways in which an address is matched with its parcel, the surest first.
var matches = []string{"inside", "cadastre", "nearest"}
