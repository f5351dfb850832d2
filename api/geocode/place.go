package geocode

import (
	"cmp"
	"slices"
	"strings"

	"arpent/api/geocode/layout"
)

const (
	maxPlaceWords    = 8       // of the name of a place, as far as it is looked for
	maxCandidates    = 48      // places that a query is tried with
	firstCandidates  = 40      // of these, whatever words name them
	maxNearPlaces    = 24      // places that one spelling with errors may mean
	departementTrust = 0.86    // a spelling of a département that is believed less is not taken
	maxNearPhrases   = 16      // groups of words that are looked up with errors
	maxGathered      = 1 << 15 // places that all spellings together may mean; no query of people comes near
)

// candidate is a place that some words of the query may mean.
type candidate struct {
	place     uint32
	alias     uint32  // the name that they spell
	words     wordSet // that name it
	written   bool    // they are spelt as the name is
	begun     bool    // they are the beginning of the name, which is being typed
	divided   bool    // but otherwise divided into words: Lagrange, for La Grange
	asked     bool    // it is a place that the query asks in
	larger    bool    // much larger than those whose names begin with the words, and spelt nearly so
	postcode  wordSet // postcodes that fit it
	quality   float32 // how well the words name it
	class     layout.AliasClass
	explained float32 // weight of the words, by how well they fit
	priority  float32 // order in which candidates are tried
}

// territory is what a query says of where to look.
type territory struct {
	candidates   []candidate
	departements []placeClaim // words that name a département
	regions      []placeClaim // words that name a région
	nearAreas    []placeClaim // words that name one of the two but for typing errors
	within       []placeClaim // both, those of the most words first
	uncovered    []placeClaim // words that name an overseas collectivity or a commune of one
}

// placeClaim says that words name a place that others lie in.
type placeClaim struct {
	words wordSet
	place uint32
}

// locatePlaces finds the places that words of the query may mean, misspelt if that is allowed.
func (x *Index) locatePlaces(q *query, misspelt bool, left *int) territory {
	var t territory
	x.locateByName(q, &t)
	x.restoreZeros(q, &t)
	for i := range q.words {
		if d, ok := x.departements[strings.ToUpper(q.words[i].Text)]; ok && !x.isHouseNumber(q, &t, i, d) {
			t.departements = append(t.departements, placeClaim{wordBit(i), d})
		}
	}
	if misspelt {
		x.locateNearName(q, &t, left)
	}
	x.locateByPostcode(q, &t)
	t.levelNames()
	*left -= x.addMuchLarger(q, &t)
	t.within = slices.Concat(t.departements, t.regions)
	slices.SortStableFunc(t.within, func(a, b placeClaim) int {
		return cmp.Compare(b.words.count(), a.words.count())
	})
	for i := range t.candidates {
		x.weighCandidate(q, &t, &t.candidates[i])
	}
	slices.SortStableFunc(t.candidates, func(a, b candidate) int { return cmp.Compare(b.priority, a.priority) })
	t.keepCandidates()
	for i := range t.candidates {
		c := &t.candidates[i]
		c.divided = c.written && c.words != 0 && !x.isDividedAs(q, c)
	}
	return t
}

// levelNames makes equals of the places that words name where none is called so today: by a name of former
// times, or by the beginning of their name. The greatest of them comes first.
func (t *territory) levelNames() {
	var today []wordSet
	for i := range t.candidates {
		c := &t.candidates[i]
		if c.written && c.words != 0 && c.class <= layout.ByArticle && !slices.Contains(today, c.words) {
			today = append(today, c.words)
		}
	}
	for i := range t.candidates {
		c := &t.candidates[i]
		if c.written && c.words != 0 && c.class > layout.ByArticle && c.class != layout.ByPostal &&
			!slices.Contains(today, c.words) {
			c.quality = layout.Quality[layout.ByRenamed]
		}
	}
}

// addMuchLarger adds the communes that are called like the whole query but for one typing error, where that
// is only the beginning of the names of much smaller ones: as equals of these, so that they come first.
// looked is the number of names that it compared.
func (x *Index) addMuchLarger(q *query, t *territory) (looked int) {
	most, isBeginning := uint32(0), false
	for _, c := range t.candidates {
		switch {
		case !c.written || c.words != q.allWords():
		case c.class != layout.ByHead:
			return 0
		default:
			most, isBeginning = max(most, x.places[c.place].Population), true
		}
	}
	name := q.joinWords(0, len(q.words))
	if !isBeginning || layout.Tolerance(len(name)) == 0 {
		return 0
	}
	return x.aliases.Near(name, 1, func(alias uint32, _ int) {
		for _, entry := range x.aliasPlaces.listAt(alias) {
			id, class := entry&(1<<layout.AliasShift-1), layout.AliasClass(entry>>layout.AliasShift)
			if p := &x.places[id]; class <= layout.ByArticle && p.Kind == layout.Commune &&
				layout.IsMuchLarger(p.Population, most) {
				t.candidates = append(t.candidates, candidate{place: id, alias: alias, words: q.allWords(), class: class,
					quality: layout.Quality[layout.ByRenamed], larger: true})
			}
		}
	})
}

// keepCandidates keeps those at the beginning. Places that share a name, and there are many called
// Saint-Pierre, do not push out those that other words name, least of all as written.
func (t *territory) keepCandidates() {
	if len(t.candidates) <= maxCandidates {
		return
	}
	kept, others := t.candidates[:firstCandidates], slices.Clone(t.candidates[firstCandidates:])
	for _, written := range []bool{true, false} {
		for _, c := range others {
			same := func(k candidate) bool { return k.words == c.words }
			if c.written == written && len(kept) < maxCandidates && !slices.ContainsFunc(kept, same) {
				kept = append(kept, c)
			}
		}
	}
	t.candidates = kept
}

func (x *Index) locateByName(q *query, t *territory) {
	for from := range q.words {
		for to := from + 1; to <= min(len(q.words), from+maxPlaceWords); to++ {
			if digits := q.postcodes & (wordBit(to) - wordBit(from)); digits != 0 &&
				(to-from > 1 || x.postcodePlaces(layout.PostcodeNumber(q.words[from].Text)) != nil) {
				break // a postcode is no part of a name, and a code of INSEE only where it is no postcode
			}
			if alias, ok := x.aliases.Find(q.joinWords(from, to)); ok && q.keepsFacilities(from, to,
				x.aliases.Word(alias)) {
				x.addAliasPlaces(q, t, alias, from, to, 1)
			}
		}
	}
}

// restoreZeros takes a number of four digits next to the name of a place for its postcode when that has lost
// its zero, as spreadsheets make it do: "6000 Nice".
func (x *Index) restoreZeros(q *query, t *territory) {
	for left := q.numbers; left != 0; left = left.rest() {
		i := left.first()
		code := layout.PostcodeNumber("0" + q.words[i].Text)
		if code != 0 && slices.ContainsFunc(t.candidates, func(c candidate) bool {
			return c.words&(wordBit(i)<<1|wordBit(i)>>1) != 0 && x.hasPostcode(c.place, code)
		}) {
			q.convertToPostcode(i)
		}
	}
}

// isDividedAs reports whether the words of a candidate are divided as in its name,
// the article and the end that they lack aside.
func (x *Index) isDividedAs(q *query, c *candidate) bool {
	name := layout.Split(x.textOf(x.places[c.place].Name))
	words := q.words[c.words.first() : c.words.first()+c.words.count()]
	if len(name) > 1 && articles[name[0].Text] && name[0].Text != words[0].Text {
		name = name[1:]
	}
	if len(words) > len(name) || len(words) < len(name) && c.class != layout.ByHead {
		return false
	}
	for i, w := range words {
		if layout.PlaceWord(w.Part) != layout.PlaceWord(name[i]) {
			return false
		}
	}
	return true
}

// addAliasPlaces adds the places of an alias that words from…to-1 spell, with errors when trust is below 1.
func (x *Index) addAliasPlaces(q *query, t *territory, alias uint32, from, to int, trust float32) {
	if len(t.candidates)+len(t.departements)+len(t.regions)+len(t.uncovered) > maxGathered {
		return
	}
	said := wordBit(to) - wordBit(from)
	for _, entry := range x.aliasPlaces.listAt(alias) {
		id, class := entry&(1<<layout.AliasShift-1), layout.AliasClass(entry>>layout.AliasShift)
		kind := x.places[id].Kind
		if kind == layout.Departement || kind == layout.Region {
			if claim := (placeClaim{said, id}); trust < 1 && !slices.Contains(t.nearAreas, claim) {
				t.nearAreas = append(t.nearAreas, claim)
			}
		}
		switch {
		case kind < layout.Departement:
			t.candidates = append(t.candidates, candidate{place: id, alias: alias, words: said,
				quality: layout.Quality[class] * trust, class: class, written: trust == 1})
		case kind == layout.Departement && trust >= departementTrust:
			t.departements = append(t.departements, placeClaim{said, id})
		case kind == layout.Region && trust == 1:
			t.regions = append(t.regions, placeClaim{said, id})
		case kind == layout.Uncovered && trust == 1:
			t.uncovered = append(t.uncovered, placeClaim{said, id})
		}
	}
}

// locateNearName looks up groups of words at either end of the query with typing errors. Postcodes and the
// number at the beginning do not count as words there.
func (x *Index) locateNearName(q *query, t *territory, left *int) {
	first, last := 0, len(q.words)
	for first < last && (q.postcodes.has(first)) {
		first++
	}
	for last > first && (q.postcodes.has(last-1) || q.numbers.has(last-1) && q.words[last-1].suffix == "") {
		last--
	}
	var phrases [][2]int
	add := func(from, to int) {
		if from >= first && to <= last && from < to && len(phrases) < maxNearPhrases && !slices.Contains(phrases,
			[2]int{from, to}) {
			phrases = append(phrases, [2]int{from, to})
		}
	}
	for n := 1; n <= 5; n++ {
		add(last-n, last)
		add(first, first+n)
	}
	for n := 1; n <= 3; n++ { // a number, a département or a postcode may stand next to the name
		add(last-1-n, last-1)
		add(first+1, first+1+n)
	}
	add(first, last)
	for i := range q.words { // a postcode between street and place
		if q.postcodes.has(i) {
			for n := 1; n <= 3; n++ {
				add(i+1, i+1+n)
				add(i-n, i)
			}
		}
	}
	for _, p := range phrases {
		*left -= x.addNearPlaces(q, t, p[0], p[1])
	}
}

func (x *Index) addNearPlaces(q *query, t *territory, from, to int) (looked int) {
	name := q.joinWords(from, to)
	most := layout.Tolerance(len(name))
	if len(name) == 3 {
		most = 1
	}
	if most == 0 || len(name) > layout.MaxDistance || q.isFacility(from, to) {
		return 0
	}
	type spelling struct {
		alias  uint32
		errors int
	}
	var found []spelling
	add := func(alias uint32, errors int) {
		if said := x.aliases.Word(alias); len(found) < maxGathered && sameDigits(name, said) &&
			q.keepsFacilities(from, to, said) {
			found = append(found, spelling{alias, errors})
		}
	}
	looked = x.aliases.Near(name, most, add)
	if each := q.eachMisspelt(t, from, to); len(found) == 0 && each > most {
		looked += x.aliases.Near(name, each, func(alias uint32, errors int) {
			// All errors would be in the name of the town: Guéret plage is not Hyères Plage.
			said := x.aliases.Word(alias)
			if !slices.ContainsFunc(q.words[from:to], func(w word) bool {
				rest, first := strings.CutPrefix(said, w.Text)
				return generalNouns[w.Text] && (first && rest != "" && rest[0] != 's' || strings.HasSuffix(said, w.Text))
			}) {
				add(alias, errors)
			}
		})
	}
	if most < missingLetters && q.isNameAlone(t, from, to) {
		looked += x.aliases.Lacking(name, missingLetters, func(alias uint32) { add(alias, missingLetters) })
	}
	slices.SortFunc(found, func(a, b spelling) int {
		return cmp.Or(cmp.Compare(a.errors, b.errors), cmp.Compare(a.alias, b.alias))
	})
	before := len(t.candidates)
	for _, f := range found {
		trust := errorTrust(f.errors, len(name))
		if layout.KeepsBeginning(name, x.aliases.Word(f.alias)) {
			trust += (1 - trust) * keptBeginning
		}
		x.addAliasPlaces(q, t, f.alias, from, to, trust)
	}
	if len(found) == 0 && len(name) <= maxPhonetic {
		x.addSoundingAlike(q, t, name, from, to)
	}
	near := t.candidates[before:]
	if len(near) <= maxNearPlaces {
		return looked
	}
	for i := range near {
		x.weighCandidate(q, t, &near[i])
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return cmp.Compare(b.priority, a.priority) })
	t.candidates = t.candidates[:before+maxNearPlaces]
	return looked
}

const (
	// missingLetters is how many letters a name may lack for which fewer errors are allowed: rousine, of
	// Roussines.
	missingLetters = 2
	// keptBeginning is the share of what a typing error costs that a name wins back which only lacks letters at
	// its end, or one of two equal letters.
	keptBeginning = 0.2
)

// isNameAlone reports whether words from…to-1 are all of the query but numbers and the name of a département
// or région.
func (q *query) isNameAlone(t *territory, from, to int) bool {
	left := q.allWords() &^ (wordBit(to) - wordBit(from)) &^ (q.postcodes | q.numbers)
	for _, claims := range [...][]placeClaim{t.departements, t.regions} {
		for _, c := range claims {
			left &^= c.words
		}
	}
	return left == 0
}

// maxErrors is how many typing errors the words of a name may have together.
const maxErrors = 4

// eachMisspelt is how many errors words from…to-1 may have where each is misspelt: charlevil meziere. Of
// several words one may lack its silent ending, too: clermon feran. They must be all of the query but its
// numbers, and not all words of names as written; else it is 0.
func (q *query) eachMisspelt(t *territory, from, to int) (errors int) {
	said := wordBit(to) - wordBit(from)
	var unknown wordSet
	for left := said; left != 0; left = left.rest() {
		i := left.first()
		if !layout.Fillers[q.words[i].Text] {
			unknown |= wordBit(i)
		}
		errors += layout.Tolerance(len(q.words[i].Text))
	}
	for i := range t.candidates {
		if t.candidates[i].written {
			unknown &^= t.candidates[i].words
		}
	}
	if unknown == 0 || q.allWords()&^said&^(q.postcodes|q.numbers) != 0 {
		return 0
	}
	if said.count() > 1 {
		errors++
	}
	return min(errors, maxErrors)
}

// addSoundingAlike adds the places whose names are read as a short word is, their silent ending aside: Bondy,
// of Bondie. Too few typing errors are allowed in such words to find them.
func (x *Index) addSoundingAlike(q *query, t *territory, name string, from, to int) {
	for _, form := range phoneticForms(strings.TrimSuffix(name, "e")) {
		for _, ending := range endings {
			if alias, ok := x.aliases.Find(form + ending); ok {
				x.addAliasPlaces(q, t, alias, from, to, phoneticTrust)
			}
		}
	}
}

// errorTrust is how much a spelling with errors is believed.
func errorTrust(errors, length int) float32 {
	return 1 - min(0.4, float32(errors)*(0.09+0.4/float32(length)))
}

// sameDigits keeps "Paris 18" from meaning "Paris 19".
func sameDigits(a, b string) bool {
	i, j := 0, 0
	for {
		for i < len(a) && !layout.IsDigit(a[i]) {
			i++
		}
		for j < len(b) && !layout.IsDigit(b[j]) {
			j++
		}
		if i == len(a) || j == len(b) {
			return i == len(a) && j == len(b)
		}
		if a[i] != b[j] {
			return false
		}
		i, j = i+1, j+1
	}
}

// locateByPostcode adds the places of each postcode, and those whose code of INSEE the word is.
func (x *Index) locateByPostcode(q *query, t *territory) {
	for i := range q.words {
		if !q.postcodes.has(i) {
			continue
		}
		for _, id := range x.postcodePlaces(layout.PostcodeNumber(q.words[i].Text)) {
			if x.places[id].Kind == layout.Uncovered {
				t.uncovered = append(t.uncovered, placeClaim{wordBit(i), id})
				continue
			}
			t.candidates = append(t.candidates, candidate{place: id, quality: 1, written: true})
		}
	}
}

// arrondissementOf returns the arrondissement of a city that has the postcode of the query; the place itself
// where there is none.
func (x *Index) arrondissementOf(q *query, c *candidate) *layout.Place {
	if x.places[c.place].Kind != layout.Commune {
		return &x.places[c.place]
	}
	for left := c.postcode; left != 0; left = left.rest() {
		for _, id := range x.postcodePlaces(layout.PostcodeNumber(q.words[left.first()].Text)) {
			if p := &x.places[id]; p.Kind == layout.Arrondissement && p.Parent == c.place {
				return p
			}
		}
	}
	return &x.places[c.place]
}

// misspeltWords is the words of a candidate that its name has spelt
// otherwise: all of them where it is one word there.
func (s *search) misspeltWords(c *candidate) (words wordSet) {
	if c.written || c.begun || c.words == 0 {
		return 0
	}
	name := s.x.aliases.Word(c.alias)
	for left := c.words; left != 0; left = left.rest() {
		if i := left.first(); !strings.Contains(name, layout.PlaceWord(s.q.words[i].Part)) {
			words |= wordBit(i)
		}
	}
	return cmp.Or(words, c.words)
}

// weighCandidate adds up the words that speak for a candidate.
func (x *Index) weighCandidate(q *query, t *territory, c *candidate) {
	p := &x.places[c.place]
	c.explained = q.totalWeight(c.words) * c.quality
	c.postcode = 0
	for i := range q.words {
		if !q.postcodes.has(i) || c.words.has(i) {
			continue
		}
		code := layout.PostcodeNumber(q.words[i].Text)
		switch {
		case x.hasPostcode(c.place, code):
			c.postcode |= wordBit(i)
			c.explained += postcodeWeight
		case strings.HasPrefix(q.words[i].Text, layout.CodeOf(&x.places[p.Departement])) &&
			x.postcodePlaces(code) == nil:
			c.explained += 0.7 * postcodeWeight // the postcode of an office
		case strings.HasPrefix(q.words[i].Text, layout.CodeOf(&x.places[p.Departement])):
			c.explained += 0.4 * postcodeWeight
		}
	}
	c.priority = c.explained + 0.3*p.Importance
	for _, d := range t.within {
		if x.isWithin(p.Departement, d) && d.words&c.words == 0 {
			c.priority += 0.8 * q.totalWeight(d.words)
			break
		}
	}
}
