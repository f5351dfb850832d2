package enrich

import (
	"cmp"
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// Group is a group of keys, as the contract names it.
type Group string

// The groups of the contract.
const (
	Addresses Group = "Addresses"
	Sales     Group = "Sales and energy"
	Risks     Group = "Risks"
	Planning  Group = "Planning"
	Land      Group = "Land and nature"
	Heritage  Group = "Heritage and economy"
	Mobility  Group = "Mobility and networks"
	Services  Group = "Services"
	Other     Group = "Other"
)

// Key is one member of the report.
type Key struct {
	Name   string
	Group  Group
	Doc    string   // what it tells, within which distance, in which order, how many at most
	Layers []string // what it is made from; where none of them is loaded it is null
	With   []string // what adds to it where it is loaded
	Value  any      // zero value of the type of what is not null, for the document
}

// with names layers that add to a key.
func (k Key) with(layers ...string) Key {
	k.With = layers
	return k
}

// DrawsOn tells whether a layer has a part in the key.
func (k Key) DrawsOn(layer string) bool {
	return slices.Contains(k.Layers, layer) || slices.Contains(k.With, layer)
}

// query is one statement of the report. It returns one row with a JSON value for each of its keys, in their order.
type query struct {
	file string // in the folder sql
	keys []Key
	// weight says how long it takes beside the others: the longest begin first.
	weight int
}

// contract is the order in which the contract lists the keys.
var contract = []string{
	"address", "banAddresses",
	"dvf", "dvfNearby", "dvfEstimate", "dpe",
	"catnat", "communeRisks", "riskPlans", "tris", "floodMarkers", "rga", "radon", "seisme", "icpe", "pollutedSites",
	"bdcaviteNearby", "bdmvtNearby",
	"qpv", "gpu", "gpuPrescriptions", "sup", "aerodromeServitude",
	"rpg", "rpgBio", "aoc", "clc", "bdforet", "zonesVegetation", "soilPh", "protectedAreas", "coursEau", "planEau",
	"nearestRiverWater", "waterQuality",
	"monuments", "sirene", "sireneTotal",
	"roadTraffic", "travelTime", "fibre", "nearestIrve", "nearestMobile", "nearestGare", "nearestGareTgv", "nearestAirport",
	"schools", "nearestHospital", "nearestMsp", "nearestPharmacy", "nearestSupermarket", "nearestHypermarket",
	"nearestConvenience", "nearestMarketplace", "nearbyServices",
	"geography", "old",
}

func queries() []query {
	return slices.Concat(addresses(), sales(), risks(), planning(), land(), water(), heritage(), mobility(), services())
}

// Keys lists the keys of the report in the contract's order.
func Keys() []Key {
	var keys []Key
	for _, q := range queries() {
		keys = append(keys, q.keys...)
	}
	slices.SortFunc(keys, func(a, b Key) int {
		return cmp.Compare(slices.Index(contract, a.Name), slices.Index(contract, b.Name))
	})
	return keys
}

//go:embed sql/*.sql
var files embed.FS

// statement is a query made ready: its SQL with numbered parameters.
type statement struct {
	query
	sql    string
	args   []string // names of the parameters, by number
	places []int    // of its keys in the report
}

// parameter is what a statement can ask for, see Parcel.
var parameter = regexp.MustCompile(`@(idu|shape|commune|arrondissement|departement|covered)\b`)

// number replaces the named parameters of a statement.
func number(sql string) (numbered string, args []string) {
	numbered = parameter.ReplaceAllStringFunc(sql, func(name string) string {
		i := slices.Index(args, name[1:])
		if i < 0 {
			i = len(args)
			args = append(args, name[1:])
		}
		return "$" + strconv.Itoa(i+1)
	})
	return numbered, args
}

// statements reads all queries, the longest first.
func statements() ([]statement, error) {
	var out []statement
	for _, q := range queries() {
		text, err := files.ReadFile("sql/" + q.file)
		if err != nil {
			return nil, fmt.Errorf("read the statement for %s: %w", q.keys[0].Name, err)
		}
		s := statement{query: q}
		s.sql, s.args = number(string(text))
		for _, k := range q.keys {
			s.places = append(s.places, slices.Index(contract, k.Name))
		}
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b statement) int { return cmp.Compare(b.weight, a.weight) })
	return out, nil
}
