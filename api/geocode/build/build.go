// Package build makes the file that addresses and places are searched in, of what is loaded. Only the numbers
// of houses are written as they come; names, streets and places are held until the end.
package build

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"arpent/api/geocode/layout"
	"arpent/internal/snapshot"
)

// builder gathers what the file is to hold. Only the numbers of
// houses, which are many, are written as they come.
type builder struct {
	w *snapshot.Writer

	places       []layout.Place
	postlist     []uint32
	text         []byte
	texts        map[string]layout.Span
	byCode       map[string]uint32 // communes, arrondissements, and codes of former communes
	parts        map[string]uint32 // former communes with a code of their own
	departements map[string]uint32
	aliases      map[string][]uint32
	postcodes    map[uint32]map[uint32]bool
	accents      accents

	names   map[string]uint32
	nameAt  []uint32
	streets []layout.Street
	group   group
	scratch []byte
}

// group is the street whose addresses are being read.
type group struct {
	open      bool
	key       Address // without number and position
	houses    []layout.House
	at        layout.Point // of the row that is the street or locality itself
	hasOwnRow bool
}

// Build writes the sections of an index.
func Build(ctx context.Context, w *snapshot.Writer, in Input) error {
	b := &builder{w: w, texts: map[string]layout.Span{}, byCode: map[string]uint32{}, parts: map[string]uint32{},
		departements: map[string]uint32{}, aliases: map[string][]uint32{}, postcodes: map[uint32]map[uint32]bool{},
		accents: accents{}, names: map[string]uint32{}}
	b.addTerritory(in)
	for _, s := range in.Spellings {
		if at, ok := b.placeOf(s.Code, s.OldCode); ok {
			b.accents.add(b.places[at].Parent, s.Name)
		}
	}
	if err := w.Begin(string(layout.SecNumber)); err != nil {
		return err
	}
	if in.Addresses != nil {
		if err := in.Addresses(ctx, b.addAddress); err != nil {
			return fmt.Errorf("read the addresses: %w", err)
		}
		if err := b.closeGroup(); err != nil {
			return err
		}
	}
	for _, step := range []func() error{
		b.putStreets, b.putNames, b.putPlaces, b.putPostcodes,
		func() error { return layout.Put(w, layout.SecText, b.text) },
	} {
		if err := step(); err != nil {
			return fmt.Errorf("write the index: %w", err)
		}
	}
	return nil
}

// addText keeps a display text, once.
func (b *builder) addText(s string) layout.Span {
	if at, ok := b.texts[s]; ok {
		return at
	}
	at := b.appendText(s)
	b.texts[s] = at
	return at
}

func (b *builder) appendText(s string) layout.Span {
	from := uint32(len(b.text))
	b.text = append(b.text, s...)
	return layout.Span{From: from, To: uint32(len(b.text))}
}

func microDegrees(v float64) int32 { return int32(math.Round(v * 1e6)) }

// addAddress takes an address into its street. One whose commune or name is
// not known cannot be found and is left out.
func (b *builder) addAddress(a Address) error {
	key := a
	key.Number, key.Suffix, key.At = 0, "", layout.Point{}
	if !b.group.open || b.group.key != key {
		if err := b.closeGroup(); err != nil {
			return err
		}
		b.group = group{open: true, key: key, houses: b.group.houses[:0]}
	}
	g := &b.group
	if a.Number <= 0 {
		g.at, g.hasOwnRow = a.At, true
		return nil
	}
	h := layout.House{Number: a.Number, Suffix: layout.SuffixOf(a.Suffix), Lat: microDegrees(a.At.Lat),
		Lon: microDegrees(a.At.Lon)}
	g.houses = append(g.houses, h)
	return nil
}

func (b *builder) closeGroup() error {
	g := &b.group
	if !g.open {
		return nil
	}
	g.open = false
	in, ok := b.placeOf(g.key.Code, g.key.OldCode)
	name := strings.TrimSpace(g.key.Name)
	if !ok || name == "" {
		return nil
	}
	slices.SortStableFunc(g.houses, func(x, y layout.House) int {
		if x.Number != y.Number {
			return x.Number - y.Number
		}
		return strings.Compare(x.Suffix, y.Suffix)
	})
	// Of several positions of one number the first counts.
	g.houses = slices.CompactFunc(g.houses, func(x, y layout.House) bool {
		return x.Number == y.Number && x.Suffix == y.Suffix
	})
	s := layout.Street{Name: b.nameID(b.accents.restoreAccents(b.places[in].Parent, name)), Place: in,
		Postcode: layout.PostcodeNumber(g.key.Postcode), Numbers: uint32(b.w.Length()),
		Count: uint32(len(g.houses)) << 1}
	if g.key.Locality {
		s.Count |= 1
	}
	s.Lat, s.Lon = middleHouse(g.houses)
	if g.hasOwnRow {
		s.Lat, s.Lon = microDegrees(g.at.Lat), microDegrees(g.at.Lon)
	}
	if only := b.places[in].Postcodes; s.Postcode == 0 && only.Length() == 1 {
		s.Postcode = b.postlist[only.From]
	}
	b.streets = append(b.streets, s)
	b.addPostcode(s.Postcode, in)
	b.scratch = layout.AppendHouses(b.scratch[:0], g.houses, s.Lat, s.Lon)
	_, err := b.w.Write(b.scratch)
	return err
}

// middleHouse is the position of the number that is nearest to the mean of all: a place on the street.
func middleHouse(houses []layout.House) (lat, lon int32) {
	if len(houses) == 0 {
		return layout.NoPosition, layout.NoPosition
	}
	var sumLat, sumLon int64
	for _, h := range houses {
		sumLat, sumLon = sumLat+int64(h.Lat), sumLon+int64(h.Lon)
	}
	n := int64(len(houses))
	away := func(h layout.House) float64 {
		return math.Hypot(float64(int64(h.Lat)-sumLat/n), float64(int64(h.Lon)-sumLon/n)*0.7)
	}
	best := slices.MinFunc(houses, func(x, y layout.House) int {
		return int(math.Copysign(1, away(x)-away(y)))
	})
	return best.Lat, best.Lon
}

func (b *builder) nameID(name string) uint32 {
	id, ok := b.names[name]
	if !ok {
		id = uint32(len(b.nameAt))
		b.names[name] = id
		b.nameAt = append(b.nameAt, b.appendText(name).From)
	}
	return id
}

// nameOf is a name of streets that has been kept.
func (b *builder) nameOf(id uint32) string {
	end := len(b.text)
	if int(id)+1 < len(b.nameAt) {
		end = int(b.nameAt[id+1])
	}
	return string(b.text[b.nameAt[id]:end])
}

// placeOf finds the place that an address lies in: the former commune or
// arrondissement where one is given, else the commune.
func (b *builder) placeOf(code, oldCode string) (uint32, bool) {
	in, ok := b.byCode[code]
	if !ok {
		return 0, false
	}
	if old, known := b.parts[oldCode]; known && b.places[old].Parent == b.places[in].Parent {
		return old, true
	}
	return in, true
}

func (b *builder) addPostcode(code, in uint32) {
	if code == 0 {
		return
	}
	if b.postcodes[code] == nil {
		b.postcodes[code] = map[uint32]bool{}
	}
	b.postcodes[code][b.places[in].Parent] = true
	if b.places[in].Kind == layout.Arrondissement {
		b.postcodes[code][in] = true
	}
}

func (b *builder) putPostcodes() error {
	codes := slices.Sorted(maps.Keys(b.postcodes))
	var first, all []uint32
	for _, code := range codes {
		first = append(first, uint32(len(all)))
		all = append(all, slices.Sorted(maps.Keys(b.postcodes[code]))...)
	}
	first = append(first, uint32(len(all)))
	return errors.Join(layout.Put(b.w, layout.SecPostcode, codes), layout.Put(b.w, layout.SecPostcodePlace,
		first), layout.Put(b.w, layout.SecPostcodePlaces, all))
}
