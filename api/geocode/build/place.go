package build

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"arpent/api/cog"
	"arpent/api/geocode/layout"
)

func (b *builder) addTerritory(in Input) {
	for _, d := range in.Departements {
		b.departements[d.Code] = uint32(len(b.places))
		b.addPlace(layout.Place{Kind: layout.Departement, Name: b.addText(d.Name), Population: 0,
			Lat: layout.NoPosition, Lon: layout.NoPosition,
			Parent: uint32(len(b.places)), Departement: uint32(len(b.places))}, d.Code, d.Name, layout.ByName)
	}
	var uncovered []Commune
	for _, c := range in.Communes {
		d, ok := b.departements[c.Departement]
		if !ok {
			uncovered = append(uncovered, c)
			continue
		}
		id := uint32(len(b.places))
		p := layout.Place{Kind: layout.Commune, Name: b.addText(c.Name), Parent: id, Departement: d,
			Population: uint32(c.Population), Postcodes: b.postcodeList(c.Postcodes)}
		p.Lat, p.Lon = microPosition(c.At)
		b.addPlace(p, c.Code, c.Name, layout.ByName)
		b.byCode[c.Code] = id
		b.addAlias(c.Code, id, layout.ByName)
		for _, code := range c.Postcodes {
			b.addPostcode(layout.PostcodeNumber(code), id)
		}
		for _, code := range c.FormerCodes {
			if _, known := b.byCode[code]; !known {
				b.byCode[code] = id
			}
		}
	}
	// Nothing lies in a région here: it is known by its name, so that a query for it
	// can be answered with where to ask.
	for _, r := range in.Regions {
		id := uint32(len(b.places))
		b.addPlace(layout.Place{Kind: layout.Region, Name: b.addText(r.Name), Lat: layout.NoPosition,
			Lon: layout.NoPosition, Parent: id, Departement: id}, r.Code, r.Name, layout.ByName)
	}
	for _, d := range in.Departements {
		if i := slices.IndexFunc(in.Regions, func(r Region) bool { return r.Code == d.Region }); i >= 0 {
			b.places[b.departements[d.Code]].Parent = uint32(len(b.places) - len(in.Regions) + i)
		}
	}
	b.addUncovered(uncovered)
	// A code that a commune has today is not that of a former one.
	for id, p := range b.places {
		if p.Kind == layout.Commune {
			b.byCode[layout.CodeOf(&p)] = uint32(id)
		}
	}
	for _, p := range in.Parts {
		b.addPart(p)
	}
	b.aliasFormerCodes()
	for _, p := range in.Postal {
		if id, ok := b.byCode[p.Commune]; ok {
			b.addPostalLocality(p.Name, b.places[id].Parent)
			b.addPostcode(layout.PostcodeNumber(p.Postcode), id)
		}
	}
}

// aliasFormerCodes adds the codes that communes had as names of what they belong to now.
func (b *builder) aliasFormerCodes() {
	for _, code := range slices.Sorted(maps.Keys(b.byCode)) {
		if len(b.aliases[strings.ToLower(code)]) > 0 {
			continue // of a commune of today
		}
		id := b.byCode[code]
		if part, ok := b.parts[code]; ok {
			id = part
		}
		b.addAlias(code, id, layout.ByFormer)
	}
}

// addPostalLocality adds a locality of postal addresses as a place of kind Former below the commune, unless
// the commune or a part of it has that name.
func (b *builder) addPostalLocality(name string, commune uint32) {
	ps := layout.Split(name)
	for _, entry := range b.aliases[aliasKey(ps)] {
		if p := &b.places[entry&(1<<layout.AliasShift-1)]; p.Kind <= layout.Former && p.Parent == commune {
			return
		}
	}
	id := uint32(len(b.places))
	p := b.places[commune]
	p.Kind, p.Name, p.Parent, p.Streets = layout.Former, b.addText(titleCase(ps)), commune, layout.Span{}
	p.Code, p.Lat, p.Lon = [8]byte{}, layout.NoPosition, layout.NoPosition
	b.places = append(b.places, p)
	b.addAliasParts(ps, id, layout.ByPostal)
}

// titleCase is a name that the post writes in capitals, with capitals where names have them.
func titleCase(ps []layout.Part) string {
	words := make([]string, len(ps))
	for i, p := range ps {
		words[i] = p.Text
		if i == 0 || !linkWords[p.Text] {
			words[i] = strings.ToUpper(p.Text[:1]) + p.Text[1:]
		}
	}
	return strings.Join(words, " ")
}

// addUncovered adds the communes of overseas collectivities, and these, by their names and postcodes. Nothing
// lies in them here: they are known so that nothing else is taken for them. Their rows have no département:
// the first digits of their code stand for one. Other communes without a département are left out.
func (b *builder) addUncovered(communes []Commune) {
	add := func(code, name string) uint32 {
		id := uint32(len(b.places))
		b.addPlace(layout.Place{Kind: layout.Uncovered, Name: b.addText(name), Lat: layout.NoPosition,
			Lon: layout.NoPosition, Parent: id, Departement: id}, code, name, layout.ByName)
		return id
	}
	added := map[string]bool{}
	for _, c := range communes {
		collectivity := cog.Collectivity(c.Code)
		if collectivity == "" {
			continue
		}
		if !added[collectivity] {
			added[collectivity] = true
			add(c.Code[:3], collectivity)
		}
		id := add(c.Code, c.Name)
		for _, postcode := range c.Postcodes {
			b.addPostcode(layout.PostcodeNumber(postcode), id)
		}
	}
}

func microPosition(at *layout.Point) (lat, lon int32) {
	if at == nil {
		return layout.NoPosition, layout.NoPosition
	}
	return microDegrees(at.Lat), microDegrees(at.Lon)
}

func (b *builder) postcodeList(codes []string) layout.Span {
	from := uint32(len(b.postlist))
	for _, c := range codes {
		if n := layout.PostcodeNumber(c); n != 0 {
			b.postlist = append(b.postlist, n)
		}
	}
	slices.Sort(b.postlist[from:])
	return layout.Span{From: from, To: uint32(len(b.postlist))}
}

func (b *builder) addPlace(p layout.Place, code, name string, class layout.AliasClass) {
	copy(p.Code[:], code)
	p.Importance = placeImportance(p.Population)
	id := uint32(len(b.places))
	b.places = append(b.places, p)
	b.addAlias(name, id, class)
	ps := layout.Split(name)
	if len(ps) > 1 && articles[ps[0].Text] {
		b.addAliasParts(ps[1:], id, withoutArticle(class))
	}
	if p.Kind < layout.Departement {
		b.addHeadAliases(ps, id)
	}
	if p.Kind != layout.Former {
		for _, english := range cog.EnglishNames(foldWithoutArticle(ps), p.Kind == layout.Commune) {
			b.addAlias(english, id, layout.ByRenamed)
		}
	}
}

// foldWithoutArticle is a name in lower case, without accents and the article that it may begin with.
func foldWithoutArticle(ps []layout.Part) string {
	var words []string
	for i, p := range ps {
		if i > 0 || len(ps) == 1 || !articles[p.Text] {
			words = append(words, p.Text)
		}
	}
	return strings.Join(words, " ")
}

// withoutArticle is how a name of a class stands for its place when its article is left out. Names of former
// times come after those of today in that, too.
func withoutArticle(class layout.AliasClass) layout.AliasClass {
	if class == layout.ByName {
		return layout.ByArticle
	}
	return layout.ByFormerArticle
}

// addHeadAliases adds the beginnings that the name of a place is called by: Levallois,
// Chamonix, Saint-Maur, Le Touquet, Touquet.
func (b *builder) addHeadAliases(ps []layout.Part, id uint32) {
	article := 0
	if len(ps) > 0 && articles[ps[0].Text] {
		article = 1
	}
	for i := article + 1; i < len(ps); i++ {
		if linkWords[ps[i-1].Text] || i == article+1 && saints[layout.PlaceWord(ps[i-1])] {
			continue
		}
		b.addAliasParts(ps[:i], id, layout.ByHead)
		if head := ps[article:i]; article > 0 && (linkWords[ps[i].Text] || isDistinctive(head)) {
			b.addAliasParts(head, id, layout.ByHead)
		}
	}
}

// isDistinctive reports whether a beginning without its article says enough to be looked for by itself: words
// are short, and there are streets called so.
func isDistinctive(head []layout.Part) bool {
	return len(head) > 1 || len(head[0].Text) >= 5
}

// placeImportance is 0 for no inhabitants and 1 for those of the greatest commune.
func placeImportance(population uint32) float32 {
	return min(1, float32(math.Log10(float64(population)+1)/6.4))
}

var (
	articles  = layout.Set("l le la les")
	linkWords = layout.Set("sur en de du des d les lez sous aux a au l la le pres et devant")
	// saints begin the names of thousands of communes: none is called so alone.
	saints = layout.Set("saint sainte saints saintes")
)

// addPart adds an arrondissement or a former commune. Several of them
// may have one code: it has had several names.
func (b *builder) addPart(in Part) {
	parent, ok := b.byCode[in.Commune]
	if !ok || b.places[parent].Kind != layout.Commune {
		return
	}
	id := uint32(len(b.places))
	p := layout.Place{Kind: layout.Former, Name: b.addText(in.Name), Parent: parent,
		Departement: b.places[parent].Departement,
		Population:  b.places[parent].Population, Postcodes: b.places[parent].Postcodes}
	p.Lat, p.Lon = microPosition(in.At)
	if !in.Arrondissement {
		if _, known := b.parts[in.Code]; !known {
			b.parts[in.Code] = id
		}
		if _, known := b.byCode[in.Code]; !known {
			b.byCode[in.Code] = id
		}
		class := layout.ByFormer
		if in.Code == layout.CodeOf(&b.places[parent]) {
			class = layout.ByRenamed
		}
		b.addPlace(p, in.Code, in.Name, class)
		return
	}
	p.Kind, p.Population, p.Postcodes = layout.Arrondissement, uint32(in.Population),
		b.postcodeList(in.Postcodes)
	b.byCode[in.Code] = id
	b.addPlace(p, in.Code, in.Name, layout.ByName)
	b.addAlias(in.Code, id, layout.ByName)
	for _, code := range in.Postcodes {
		b.addPostcode(layout.PostcodeNumber(code), id)
	}
	b.addArrondissementAliases(in.Name, id)
}

// addArrondissementAliases adds the ways of naming "Paris 18e Arrondissement".
func (b *builder) addArrondissementAliases(name string, id uint32) {
	ps := layout.Split(name)
	if len(ps) < 2 {
		return
	}
	city, ordinal := ps[0].Text, ps[1].Text
	number := ordinal[:layout.LeadingDigits(ordinal)]
	two := number
	if len(number) == 1 {
		two = "0" + number
	}
	for _, way := range []string{city + " " + ordinal, city + " " + number, city + " " + two, city + " " +
		ordinal + " arr", city + " arrondissement " + number,
		ordinal + " " + city, ordinal + " arr " + city, ordinal + " arrondissement " + city, ordinal +
			" arrondissement de " + city} {
		b.addAlias(way, id, layout.ByName)
	}
}

func (b *builder) addAlias(name string, id uint32, class layout.AliasClass) {
	b.addAliasParts(layout.Split(name), id, class)
}

func (b *builder) addAliasParts(ps []layout.Part, id uint32, class layout.AliasClass) {
	k := aliasKey(ps)
	if k == "" || class == layout.ByHead && len(k) < 2 {
		return
	}
	entry := id | uint32(class)<<layout.AliasShift
	for i, have := range b.aliases[k] {
		if have&(1<<layout.AliasShift-1) == id {
			b.aliases[k][i] = min(have, entry)
			return
		}
	}
	b.aliases[k] = append(b.aliases[k], entry)
}

// aliasKey is a name of a place in the form in which names are compared: as one word.
func aliasKey(ps []layout.Part) string {
	var key strings.Builder
	for _, p := range ps {
		key.WriteString(layout.PlaceWord(p))
	}
	return key.String()
}

func (b *builder) putPlaces() error {
	b.placeParts()
	keys := slices.Sorted(maps.Keys(b.aliases))
	var first, all []uint32
	for _, k := range keys {
		first = append(first, uint32(len(all)))
		all = append(all, b.aliases[k]...)
	}
	first = append(first, uint32(len(all)))
	if err := layout.NewLexicon(keys).Put(b.w, layout.Aliases); err != nil {
		return err
	}
	return errors.Join(layout.Put(b.w, layout.SecAliasPlace, first), layout.Put(b.w, layout.SecAliasPlaces, all),
		layout.Put(b.w, layout.SecPlacePostcode, b.postlist),
		layout.Put(b.w, layout.SecPlace, b.places))
}
