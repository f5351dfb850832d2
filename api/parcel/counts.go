package parcel

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"time"

	"arpent/internal/opendata/geom"
	"arpent/internal/opendata/state"
)

// CommuneParcels is how many parcels and sections the cadastre has of a commune.
type CommuneParcels struct {
	Total    *int        `json:"total" doc:"Number of parcels; null unless all of them are loaded." example:"7124"`
	Sections *int        `json:"sections" doc:"Number of sections; those of former communes count apart, by their prefix. Null where total is." example:"58"`
	Vintage  *string     `json:"vintage" doc:"Edition of the cadastre, a day, of several the newest; null where the file does not say, or total is null." example:"2025-01-01"`
	State    state.State `json:"state" enum:"value,not_loaded,not_covered" doc:"Whether they are known, or why not."`
	Reason   string      `json:"reason,omitempty" doc:"Why total is null, in a sentence."`
	// BySection and Largest are set by DescribeParcels.
	BySection []SectionParcels `json:"bySection,omitempty" doc:"Only where fields names parcels: the sections by code, prefix and name, at most 200."`
	Largest   []LargeParcel    `json:"largest,omitempty" doc:"Only where fields names parcels: the ten largest, by the recorded area (contenance), or by that of the outline (outlineAreaM2) where the two differ by more than a factor of 2 or none is recorded."`
}

// SectionParcels counts the parcels of a section.
type SectionParcels struct {
	Section string `json:"section" doc:"Name of the section, behind its prefix where that is not 000; in Paris, Lyon and Marseille behind the arrondissement." example:"AB"`
	Parcels int    `json:"parcels" minimum:"1" doc:"Number of its parcels." example:"120"`
}

// LargeParcel is a parcel of a large area.
type LargeParcel struct {
	IDU               IDU     `json:"idu" doc:"Reference of the parcel." example:"930100000H0234"`
	Contenance        *int    `json:"contenance" minimum:"1" doc:"Recorded area, in m²; null where none is recorded." example:"50320"`
	ContenanceDiffers bool    `json:"contenanceDiffers,omitempty" doc:"True where the recorded area and that of the outline differ by more than a factor of 2: the file has another figure than its plan. Else absent."`
	OutlineAreaM2     float64 `json:"outlineAreaM2" doc:"Area of the outline as it is drawn on the plan, in m², one decimal." example:"50298.4"`
}

// rankedArea is the area that it is compared with others by. A recorded one that the plan contradicts is an
// error of the producer, of a factor of ten in Bondy.
func (p LargeParcel) rankedArea() float64 {
	if p.Contenance == nil || p.ContenanceDiffers {
		return p.OutlineAreaM2
	}
	return float64(*p.Contenance)
}

// How many sections and parcels of a commune DescribeParcels lists.
const (
	maxSections = 200
	maxLargest  = 10
)

// DescribeParcels is CountOf with the sections and the largest parcels, for which all of them are read. A
// record that cannot be read is left out: the parcel itself is answered with the error.
func (x *Index) DescribeParcels(codes ...string) CommuneParcels {
	c := x.CountOf(codes...)
	if c.State != state.Value {
		return c
	}
	defer runtime.KeepAlive(x.file)
	var arena geom.Arena
	for _, code := range codes {
		nth, _ := x.findCommune(code)
		for _, s := range x.listSections(nth) {
			if len(c.BySection) < maxSections {
				name := s.Label()
				if len(codes) > 1 {
					name = code + " " + name
				}
				c.BySection = append(c.BySection, SectionParcels{name, s.Parcels})
			}
		}
		e, b := &x.communes[nth], x.blockAt(nth)
		for leaf, box := range b.tree.Leaves() {
			// An outline is read only where it may be among the largest: it is no larger than its box, and a
			// recorded area that counts is at most twice as large. The tenth leaves room for the ellipsoid.
			width, height := float64(box.MaxX-box.MinX), float64(box.MaxY-box.MinY)
			most := 2.1 * width * height * geom.MetresPerUnit * geom.MetresPerUnit
			if len(c.Largest) == maxLargest && most < c.Largest[maxLargest-1].rankedArea() {
				continue
			}
			var r row
			outline, err := readAttributes(b.recordAt(int(leaf)), &r)
			if err != nil {
				continue
			}
			arena.Reset()
			shape, err := arena.DecodeDelta(outline, e.outlineOrigin())
			if err != nil {
				continue
			}
			p := LargeParcel{IDU: b.iduAt(e, int(leaf)), OutlineAreaM2: math.Round(shape.AreaM2()*10) / 10}
			if r.contenance.Valid {
				p.Contenance = new(int(r.contenance.Int32))
				p.ContenanceDiffers = contenanceDiffers(r.contenance, shape.AreaM2())
			}
			at, _ := slices.BinarySearchFunc(c.Largest, p, func(a, b LargeParcel) int {
				return cmp.Or(cmp.Compare(b.rankedArea(), a.rankedArea()), cmp.Compare(a.IDU, b.IDU))
			})
			if at < maxLargest {
				c.Largest = slices.Insert(c.Largest, at, p)
				c.Largest = c.Largest[:min(len(c.Largest), maxLargest)]
			}
		}
	}
	return c
}

// What CommuneParcels says of parcels that are not all loaded.
const (
	indexMissing = "The file of the parcels is being built. Try again in a minute."
	somePlaces   = "Parcels are loaded of other communes only."
	someParcels  = "Only a part of its parcels is loaded."
)

// CountOf counts the parcels of a commune, or of all arrondissements of one, by the codes that their
// references begin with. x is nil while there is no file.
func (x *Index) CountOf(codes ...string) CommuneParcels {
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
	return c
}
