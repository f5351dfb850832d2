package parcel

import (
	"runtime"
	"time"

	"arpent/internal/opendata/state"
)

// CommuneParcels is how many parcels and sections the cadastre has of a commune.
type CommuneParcels struct {
	Total    *int    `json:"total" doc:"Number of parcels; null unless all of them are loaded." example:"7124"`
	Sections *int    `json:"sections" doc:"Number of sections; those of former communes count apart, by their prefix. Null where total is." example:"58"`
	Vintage  *string `json:"vintage" doc:"Edition of the cadastre, a day, of several the newest; null where the file does not say, or total is null." example:"2025-01-01"`
	// BySection is left out unless it was asked for.
	BySection map[string]int `json:"bySection,omitempty" doc:"Only where fields names parcels: number of parcels by section, as A or AB; those of former communes with their prefix, as 155A. Absent for a whole city with arrondissements, and where total is null."`
	State     state.State    `json:"state" enum:"value,not_loaded,not_covered" doc:"Whether they are known, or why not."`
	Reason    string         `json:"reason,omitempty" doc:"Why total is null, in a sentence."`
}

// What CommuneParcels says of parcels that are not all loaded.
const (
	indexMissing = "The file of the parcels is being built. Try again in a minute."
	somePlaces   = "Parcels are loaded of other communes only."
	someParcels  = "Only a part of its parcels is loaded."
)

// CountOf counts the parcels of a commune, or of all arrondissements of one, by the codes that their
// references begin with; of one place by section too, if asked to. x is nil while there is no file.
func (x *Index) CountOf(bySection bool, codes ...string) CommuneParcels {
	if x == nil {
		return CommuneParcels{State: state.NotLoaded, Reason: indexMissing}
	}
	if len(x.communes) == 0 {
		return CommuneParcels{State: state.NotLoaded, Reason: state.NoSource}
	}
	defer runtime.KeepAlive(x.file)
	c := CommuneParcels{Total: new(int), Sections: new(int), State: state.Value}
	loaded, complete := 0, 0
	for _, code := range codes {
		nth, ok := x.findCommune(code)
		if !ok {
			continue
		}
		e := &x.communes[nth]
		loaded++
		if e.Partial == 0 {
			complete++
		}
		*c.Total += int(e.Parcels)
		*c.Sections += int(e.Sections)
		if e.Vintage != noVintage {
			c.Vintage = state.Newest(c.Vintage, new(x.vintages[nth].Format(time.DateOnly)))
		}
	}
	switch {
	case loaded == 0:
		return CommuneParcels{State: state.NotCovered, Reason: somePlaces}
	case complete < len(codes):
		return CommuneParcels{State: state.NotCovered, Reason: someParcels}
	}
	if bySection && len(codes) == 1 {
		c.BySection = map[string]int{}
		for _, s := range x.Sections(codes[0]) {
			c.BySection[s.Label()] = s.Parcels
		}
	}
	return c
}
