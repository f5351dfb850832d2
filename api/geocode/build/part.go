package build

import (
	"arpent/api/geocode/layout"
)

// placeParts gives former communes and localities the position that the addresses have for them: that of
// their streets, else of the locality that is called so, else that of the commune they belong to. The streets
// have been sorted.
func (b *builder) placeParts() {
	localities := b.localitiesOfParts()
	for i := range b.places {
		p := &b.places[i]
		if p.Lat != layout.NoPosition || p.Kind != layout.Former && p.Kind != layout.Arrondissement {
			continue
		}
		of := p
		if part, ok := b.parts[layout.CodeOf(p)]; ok && p.Kind == layout.Former &&
			b.places[part].Parent == p.Parent {
			of = &b.places[part] // it has had several names
		}
		p.Lat, p.Lon = middleOf(b.streets[of.Streets.From:of.Streets.To])
		if at, ok := localities[b.partKey(p)]; p.Lat == layout.NoPosition && ok {
			p.Lat, p.Lon = at.lat, at.lon
		}
		if p.Lat == layout.NoPosition {
			p.Lat, p.Lon = b.places[p.Parent].Lat, b.places[p.Parent].Lon
		}
	}
}

// partKey is the name of a part of a commune.
type partKey struct {
	commune uint32
	name    string
}

func (b *builder) partKey(p *layout.Place) partKey {
	return partKey{p.Parent, aliasKey(layout.Split(string(b.text[p.Name.From:p.Name.To])))}
}

// spot is a position in millionths of a degree.
type spot struct{ lat, lon int32 }

// localitiesOfParts finds the localities that are called like a part of their commune which has no position.
func (b *builder) localitiesOfParts() map[partKey]spot {
	found, in := map[partKey]spot{}, map[uint32]map[string]bool{}
	for i := range b.places {
		if p := &b.places[i]; p.Kind == layout.Former && p.Lat == layout.NoPosition {
			if in[p.Parent] == nil {
				in[p.Parent] = map[string]bool{}
			}
			in[p.Parent][b.partKey(p).name] = true
		}
	}
	for i := range b.streets {
		s := &b.streets[i]
		commune := b.places[s.Place].Parent
		if s.Count&1 == 0 || s.Lat == layout.NoPosition || in[commune] == nil {
			continue
		}
		if name := aliasKey(layout.Split(b.nameOf(s.Name))); in[commune][name] {
			found[partKey{commune, name}] = spot{s.Lat, s.Lon}
		}
	}
	return found
}

// middleOf is the position of the street that is nearest to the mean of all: a place in what they lie in.
func middleOf(streets []layout.Street) (lat, lon int32) {
	var at []layout.House
	for i := range streets {
		if s := &streets[i]; s.Lat != layout.NoPosition {
			at = append(at, layout.House{Lat: s.Lat, Lon: s.Lon})
		}
	}
	return middleHouse(at)
}
