package geocode

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
)

// aliasClass says how a name stands for a place. It lies above the index of the place.
type aliasClass uint32

const (
	byName    aliasClass = iota // its name
	byArticle                   // its name without the article
	byRenamed                   // a name that it had before, or has for its part
	byFormer                    // the name of a commune that it was, or that became part of it
	byPostal                    // the name that its post is addressed with
	byHead                      // the beginning of its name: Châlons
)

const aliasShift = 24 // places are fewer than 2^24

// quality is how sure a name makes of the place.
var quality = [...]float32{byName: 1, byArticle: 0.99, byRenamed: 0.995, byFormer: 0.96, byPostal: 0.93, byHead: 0.91}

func (b *builder) addTerritory(in Input) {
	for _, d := range in.Departements {
		b.departements[d.Code] = uint32(len(b.places))
		b.addPlace(place{Kind: departement, Name: b.say(d.Name), Population: 0, Lat: noPosition, Lon: noPosition,
			Parent: uint32(len(b.places)), Departement: uint32(len(b.places))}, d.Code, d.Name, byName)
	}
	for _, c := range in.Communes {
		d, ok := b.departements[c.Departement]
		if !ok {
			continue
		}
		id := uint32(len(b.places))
		p := place{Kind: commune, Name: b.say(c.Name), Parent: id, Departement: d, Population: uint32(c.Population), Postcodes: b.postcodeList(c.Postcodes)}
		p.Lat, p.Lon = position(c.At)
		b.addPlace(p, c.Code, c.Name, byName)
		b.byCode[c.Code] = id
		b.alias(c.Code, id, byName)
		for _, code := range c.Postcodes {
			b.addPostcode(postcodeNumber(code), id)
		}
		for _, code := range c.FormerCodes {
			if _, known := b.byCode[code]; !known {
				b.byCode[code] = id
			}
		}
	}
	// A code that a commune has today is not that of a former one.
	for id, p := range b.places {
		if p.Kind == commune {
			b.byCode[codeOf(&p)] = uint32(id)
		}
	}
	for _, p := range in.Parts {
		b.addPart(p)
	}
	for _, p := range in.Postal {
		if id, ok := b.byCode[p.Commune]; ok {
			b.alias(p.Name, id, byPostal)
			b.addPostcode(postcodeNumber(p.Postcode), id)
		}
	}
}

func position(at *Point) (lat, lon int32) {
	if at == nil {
		return noPosition, noPosition
	}
	return micro(at.Lat), micro(at.Lon)
}

func (b *builder) postcodeList(codes []string) span {
	from := uint32(len(b.postlist))
	for _, c := range codes {
		if n := postcodeNumber(c); n != 0 {
			b.postlist = append(b.postlist, n)
		}
	}
	return span{from, uint32(len(b.postlist))}
}

func (b *builder) addPlace(p place, code, name string, class aliasClass) {
	copy(p.Code[:], code)
	p.Importance = importance(p.Population)
	id := uint32(len(b.places))
	b.places = append(b.places, p)
	b.alias(name, id, class)
	ps := split(name)
	if len(ps) > 1 && articles[ps[0].text] {
		b.aliasOf(ps[1:], id, max(class, byArticle))
	}
	if len(ps) == 2 && p.Kind != departement && len(ps[0].text) >= 5 && weight(ps[0].text) == 1 {
		b.aliasOf(ps[:1], id, byHead) // Levallois
	}
	for i := 1; i < len(ps) && p.Kind != departement; i++ {
		if !links[ps[i].text] {
			continue
		}
		head := ps[:i]
		if articles[head[0].text] {
			b.aliasOf(head[1:], id, byHead)
		}
		b.aliasOf(head, id, byHead)
	}
}

// importance is 0 for no inhabitants and 1 for those of the greatest commune.
func importance(population uint32) float32 {
	return min(1, float32(math.Log10(float64(population)+1)/6.4))
}

var (
	articles = set("l le la les")
	links    = set("sur en de du des d les sous aux a au l la le pres et devant")
)

// addPart adds an arrondissement or a former commune. Several of them may have one code: it has had several names.
func (b *builder) addPart(in Part) {
	parent, ok := b.byCode[in.Commune]
	if !ok || b.places[parent].Kind != commune {
		return
	}
	id := uint32(len(b.places))
	p := place{Kind: former, Name: b.say(in.Name), Parent: parent, Departement: b.places[parent].Departement,
		Population: b.places[parent].Population, Postcodes: b.places[parent].Postcodes}
	p.Lat, p.Lon = position(in.At)
	if p.Lat == noPosition {
		p.Lat, p.Lon = b.places[parent].Lat, b.places[parent].Lon
	}
	if !in.Arrondissement {
		if _, known := b.parts[in.Code]; !known {
			b.parts[in.Code] = id
		}
		if _, known := b.byCode[in.Code]; !known {
			b.byCode[in.Code] = id
		}
		class := byFormer
		if in.Code == codeOf(&b.places[parent]) {
			class = byRenamed
		}
		b.addPlace(p, in.Code, in.Name, class)
		return
	}
	p.Kind, p.Population, p.Postcodes = arrondissement, uint32(in.Population), b.postcodeList(in.Postcodes)
	b.byCode[in.Code] = id
	b.addPlace(p, in.Code, in.Name, byName)
	for _, code := range in.Postcodes {
		b.addPostcode(postcodeNumber(code), id)
	}
	b.aliasArrondissement(in.Name, id)
}

// aliasArrondissement adds the ways of naming "Paris 18e Arrondissement".
func (b *builder) aliasArrondissement(name string, id uint32) {
	ps := split(name)
	if len(ps) < 2 {
		return
	}
	city, ordinal := ps[0].text, ps[1].text
	number := ordinal[:leadingDigits(ordinal)]
	two := number
	if len(number) == 1 {
		two = "0" + number
	}
	for _, way := range []string{city + " " + ordinal, city + " " + number, city + " " + two, city + " " + ordinal + " arr", city + " arrondissement " + number,
		ordinal + " " + city, ordinal + " arr " + city, ordinal + " arrondissement " + city, ordinal + " arrondissement de " + city} {
		b.alias(way, id, byName)
	}
}

func (b *builder) alias(name string, id uint32, class aliasClass) { b.aliasOf(split(name), id, class) }

func (b *builder) aliasOf(ps []part, id uint32, class aliasClass) {
	var key strings.Builder
	for _, p := range ps {
		key.WriteString(placeWord(p))
	}
	k := key.String()
	if k == "" || class == byHead && len(k) < 3 {
		return
	}
	entry := id | uint32(class)<<aliasShift
	for i, have := range b.aliases[k] {
		if have&(1<<aliasShift-1) == id {
			b.aliases[k][i] = min(have, entry)
			return
		}
	}
	b.aliases[k] = append(b.aliases[k], entry)
}

// codeOf is the code of a place.
func codeOf(p *place) string { return strings.TrimRight(string(p.Code[:]), "\x00") }

func (b *builder) putPlaces() error {
	keys := slices.Sorted(maps.Keys(b.aliases))
	var first, all []uint32
	for _, k := range keys {
		first = append(first, uint32(len(all)))
		all = append(all, b.aliases[k]...)
	}
	first = append(first, uint32(len(all)))
	if err := newLexicon(keys).put(b.w, aliasSections); err != nil {
		return err
	}
	return errors.Join(put(b.w, secAliasPlace, first), put(b.w, secAliasPlaces, all), put(b.w, secPlacePostcode, b.postlist),
		put(b.w, secPlace, b.places))
}
