package geocode

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"arpent/api/cog"
	"arpent/api/geocode/layout"
)

// levelWords are words for what a query asks for, apart from its name.
var levelWords = layout.Set("departement region dept dpt dans")

// groupingWords are words for what communes form together, which has no figures of its own here.
var groupingWords = layout.Set("metropole communaute agglomeration intercommunalite epci canton")

// buildHint says where to ask when the whole query names a département or a région,
// which are no addresses; nil when it does not.
func (s *search) buildHint() *string {
	named := wordSet(0)
	for i, w := range s.q.words {
		if !levelWords[w.Text] {
			named |= wordBit(i)
		}
	}
	if named == 0 {
		return nil
	}
	var calls []string
	add := func(id uint32) {
		if call := s.x.operationHint(id); !slices.Contains(calls, call) {
			calls = append(calls, call)
		}
	}
	for _, list := range [][]placeClaim{s.t.departements, s.t.regions} {
		for _, c := range list {
			if s.q.equalsExceptFillers(c.words, named) {
				add(c.place)
			}
		}
	}
	// A code may have small words before it: dans le 35. A query of two letters is searched for communes alone.
	if d, ok := s.x.departements[strings.ToUpper(s.nameAlone())]; ok {
		add(d)
	}
	if code, ok := cog.FindRegionByAbbreviation(s.nameAlone()); ok {
		if id, ok := s.x.findRegion(code); ok {
			add(id)
		}
	}
	if text := s.formerRegion(); len(calls) == 0 && text != "" {
		return &text
	}
	if len(calls) == 0 {
		return nil
	}
	return new(strings.Join(calls, " "))
}

// sayNearAreas names the départements and régions that the whole query is the name of but for typing errors;
// empty: it is that of none, or an answer is called as it says.
func (s *search) sayNearAreas() string {
	if len(s.best) > 0 && s.best[0].full && s.best[0].written {
		return ""
	}
	named := wordSet(0)
	for i, w := range s.q.words {
		if !levelWords[w.Text] {
			named |= wordBit(i)
		}
	}
	var calls []string
	for _, c := range s.t.nearAreas {
		if call := s.x.operationHint(c.place); s.q.equalsExceptFillers(c.words, named) && !slices.Contains(calls, call) {
			calls = append(calls, call)
		}
	}
	if calls == nil {
		return ""
	}
	return "Nearly called so: " + strings.Join(calls, " ")
}

// nameAlone is the query without small words and those for what it asks for.
func (s *search) nameAlone() string {
	var name []string
	for _, w := range s.q.words {
		if !levelWords[w.Text] && !layout.Fillers[w.Text] {
			name = append(name, w.Text)
		}
	}
	return strings.Join(name, " ")
}

// formerRegion says which région a former one is a part of today, when the query is its name; empty: it is
// not.
func (s *search) formerRegion() string {
	former, ok := cog.FindFormerRegion(s.nameAlone())
	if !ok {
		return ""
	}
	id, ok := s.x.findRegion(former.Code)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s is not a commune: it %s: GET /regions/%s (tool get_region).", former.Name,
		former.Describe(s.x.textOf(s.x.places[id].Name)), former.Code)
}

// findRegion finds the place of a région.
func (x *Index) findRegion(code string) (id uint32, ok bool) {
	for i := range x.places {
		if p := &x.places[i]; p.Kind == layout.Region && layout.CodeOf(p) == code {
			return uint32(i), true
		}
	}
	return 0, false
}

// What is said of answers that are less than was asked for, and of none.
const (
	hintGuessed = "Nothing is called so as written: the answers are guesses, and unmatched lists the words that each spells otherwise. " + noCommune
	hintPartial = "Nothing has all words of the query: the answers are guesses, and unmatched lists what each lacks. " + noCommune
	hintNothing = "Nothing is called so. " + noCommune
	hintCity    = "An arrondissement is found together with its city, as in Paris 18e."
	hintStreet  = "No street that is loaded on this server is called so. Add the commune: where its streets are not loaded, the commune is found."
	hintTown    = "No street that is loaded on this server is called so, and no commune. %s (%s) may be meant: name it as it is written, or add its postcode."
	hintNumber  = "No postcode, commune code or département has this number. A number alone finds no address: add the street and the commune."
	hintAround  = "The search finds a place, not what is known of it or lies around it: the report of a parcel does (GET " +
		"/parcelles/{idu}/enrichments, tool get_parcel_enrichments). Its lists have the number of sales, " +
		"installations, schools and so on within radiusM, which no call changes, or say that only their commune is " +
		"known, and distanceM of each; its states have the period of the sales. Inhabitants are counted by commune alone."
	hintEmpty = "The query has no letter and no digit: give an address, the name of a place or a postcode."
	// What is asked for may be a place that is no commune, and no address.
	noCommune = "What is not a commune (a région of former times, an island, a quarter, a resort, a place abroad) is found only where a street or locality is called so."
)

// sayAround says that the answers are the place around which the query asks for something.
func (r *FoundPlaces) sayAround() {
	for i := range r.Data {
		r.Data[i].Score = min(r.Data[i].Score, sureLeast)
	}
	text := hintAround
	if r.Hint != nil {
		text += " " + *r.Hint
	}
	r.Hint = &text
}

// guessScore is the score up to which a guess is said to be one.
const guessScore = 0.5

// buildWarning says what the best answer cannot: that it is the commune of a grouping that was asked for, or
// of an arrondissement that it does not have, that the streets of its commune are not loaded, so that the
// rest of the query was not looked for, that nothing is called as the query says, or that the street does not
// have the number of a house. nil: it needs none.
func (s *search) buildWarning(best *answer) *string {
	var text string
	in := &s.x.places[s.x.places[s.placeOf(best)].Parent]
	if text = s.missingArrondissement(best); text != "" {
		return &text
	}
	left := s.unmatchedWords(best)
	isCommune := best.street == noPlace && best.candidate.written
	switch {
	case s.hasMuchLarger():
		text = s.sayMuchLarger()
	case left&s.q.facilityWords != 0:
		text = s.sayFacility(best, left&s.q.facilityWords)
	case isCommune && left != 0 && left&^s.q.postcodes == 0:
		text = s.q.words[left.first()].Text + " is no postcode of a commune, as those of CEDEX are: the answer is the " +
			"commune of this name."
	case len(s.q.words) == 1 && s.q.postcodes != 0 && best.candidate.words == 0:
		if text = s.x.alsoCode(s.q.words[0].Text); text == "" {
			return nil
		}
		text = s.q.words[0].Text + " was taken for a postcode." + text
	case best.street == noPlace && best.candidate.written && s.q.hasAny(s.unmatchedWords(best), groupingWords):
		text = "Groupings of communes, cantons among them, are not found by name: the answer is the commune. GET /communes?departement=" + layout.CodeOf(&s.x.places[in.Departement]) +
			"&fields=epci.name (tool list_communes) names the intercommunal body of each commune of the département; " +
			"epci lists the communes of one, by its name in the tool."
	case best.street == noPlace && best.differ != 0 && s.unmatchedWords(best)&^best.differ != 0 &&
		s.isPlacePosition(best.candidate.words):
		text = "The commune is taken to be " + s.x.textOf(in.Name)
		if in.Streets.Length() == 0 {
			text += ", whose streets are not loaded on this server: only the commune can be found."
		} else {
			text += ", where no address has the other words of the query."
		}
	case best.street == noPlace && s.unmatchedWords(best) != 0 && !best.candidate.asked:
		text = hintPartial
	case best.street == noPlace && best.candidate.written && s.unmatchedWords(best) != 0 &&
		in.Streets.Length() == 0:
		text = "The streets of " + s.x.textOf(in.Name) +
			" are not loaded on this server: only the commune can be found."
	case isCommune && left != 0:
		text = "No address of " + s.x.textOf(in.Name) +
			" that is loaded has the other words of the query: the answer is the commune."
	case best.differ != 0 || !best.written && best.score < guessScore && s.unmatchedWords(best) == 0:
		text = hintGuessed
	}
	if names := s.otherKinds(best); len(names) > 0 {
		text = strings.TrimSpace(text + " " + s.sayOtherKind(best, names))
	}
	if number := s.missingNumber(best); number != "" {
		text = strings.TrimSpace(text + " " + s.x.nameOf(s.x.streets[best.street].Name) + " has no number " +
			number +
			" in the addresses that are loaded: the answer is the street, and lat and lon are of a point on it.")
	}
	if number := s.otherSuffix(best); number != "" {
		text = strings.TrimSpace(text + " " + s.x.nameOf(s.x.streets[best.street].Name) + " has no number " + number +
			" in the addresses that are loaded: the answer is number " + best.house.Text() + ".")
	}
	if s.lacksTown(best) && s.unmatchedWords(best)&s.named == 0 {
		text = strings.TrimSpace(text + " " + s.x.streetCover.sayPartial())
	}
	if text == "" {
		return nil
	}
	return &text
}

// sayMuchLarger names the places that the query may mean, of which it begins the names or is nearly that of a
// much larger one.
func (s *search) sayMuchLarger() string {
	var named []string
	for _, id := range s.listNamed() {
		p := &s.x.places[id]
		named = append(named, s.x.textOf(p.Name)+" ("+layout.CodeOf(p)+")")
	}
	more := ""
	if n := len(named); n > maxNamed {
		named, more = named[:maxNamed], " and others"
	}
	return "Nothing is called so. It may be the beginning of a name, or that of a much larger commune with a typing " +
		"error: " + strings.Join(named, ", ") + more + "."
}

// sayFacility says that what a query asks for, a town hall or a station, is in no list, and what the answer
// is.
func (s *search) sayFacility(a *answer, facility wordSet) string {
	var words []string
	for ; facility != 0; facility = facility.rest() {
		words = append(words, s.q.words[facility.first()].Text)
	}
	what := "street"
	if a.street == noPlace {
		what = "commune, and lat and lon are of a point in it"
	}
	return "Town halls, stations, schools and the like (" + strings.Join(words, " ") +
		") are in no list that is searched: the answer is the " + what + ". The nearest hospital, school, station and " +
		"supermarket of a commune are in its namedServices (tool get_commune), those of a parcel in its report " +
		"(tool get_parcel_enrichments)."
}

// sayNoStreet says that no street is called so, and which commune the query may name with a typing error.
func (s *search) sayNoStreet() string {
	for i := range s.t.candidates { // the likeliest comes first
		c := &s.t.candidates[i]
		p := &s.x.places[c.place]
		if !c.written && p.Kind == layout.Commune && s.isPlacePosition(c.words) && s.informativeWords&^c.words != 0 {
			return fmt.Sprintf(hintTown, s.x.textOf(p.Name), layout.CodeOf(p))
		}
	}
	return hintStreet
}

// lacksCity reports whether the query asks for an arrondissement without its city: mairie du 18e.
func (s *search) lacksCity() bool {
	ordinal, isAsked := false, s.q.facilityWords != 0
	for i, w := range s.q.words {
		ordinal = ordinal || s.q.numbers.has(i) && w.suffix == "e" && w.number <= 20
		isAsked = isAsked || arrondissementWords[w.Text]
	}
	return ordinal && isAsked
}

// maxNamed is how many streets a hint names.
const maxNamed = 5

// sayOtherKind says that a commune has no street of the kind that the query asks for, and which of the name
// it has.
func (s *search) sayOtherKind(a *answer, names []string) string {
	var kind []string
	for left := s.unmatchedWords(a) & s.kinds; left != 0; left = left.rest() {
		word := s.q.words[left.first()].Text
		kind = append(kind, cmp.Or(layout.Kinds[word], word))
	}
	in := &s.x.places[s.x.places[s.placeOf(a)].Parent]
	list := strings.Join(names, ", ")
	switch last := len(names) - 1; {
	case last >= maxNamed:
		list = strings.Join(names[:maxNamed], ", ") + " and others"
	case last > 0:
		list = strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return "The addresses of " + s.x.textOf(in.Name) + " have no " + strings.Join(kind, " ") +
		" of this name, but " + list + "."
}

// otherKinds gives the streets of the commune of an answer that are called like it but for their kind, that
// one included, where the query names the commune and another kind, and all else but the number of a house is
// found. Empty: that is not so, or the commune has a street of the kind.
func (s *search) otherKinds(a *answer) (names []string) {
	left := s.unmatchedWords(a)
	if a.street == noPlace || a.candidate.place == noPlace || !a.m.otherKind || left&s.kinds == 0 ||
		left&s.informativeWords != 0 {
		return nil
	}
	commune := s.x.places[s.placeOf(a)].Parent
	called := s.x.informativeTerms(a.street)
	for i := range s.best {
		b := &s.best[i]
		if b.street == noPlace || s.x.places[s.placeOf(b)].Parent != commune || a.m.words&^b.m.words != 0 {
			continue
		}
		if !b.m.otherKind {
			return nil
		}
		name := s.x.nameOf(s.x.streets[b.street].Name)
		if slices.Equal(called, s.x.informativeTerms(b.street)) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// informativeTerms are the words of the name of a street that distinguish it.
func (x *Index) informativeTerms(street uint32) (terms []uint32) {
	for _, term := range x.nameTerms.listAt(x.streets[street].Name) {
		if term&layout.InformativeBit != 0 {
			terms = append(terms, term)
		}
	}
	return terms
}

// missingNumber is the number of a house that the query asks for, with its suffix, where an answer is its
// street for want of it. Empty: none was asked for, or it is there.
func (s *search) missingNumber(a *answer) string {
	var words []string
	for rest := s.missingNumberWords(a); rest != 0; rest = rest.rest() {
		w := &s.q.words[rest.first()]
		words = append(words, cmp.Or(w.typed, w.Text))
	}
	return strings.Join(words, " ")
}

// otherSuffix is the number of a house that the query asks for, with its suffix, where an answer has the
// number without that suffix. Empty: it has what was asked for.
func (s *search) otherSuffix(a *answer) string {
	if a.street == noPlace || a.house.Number == 0 {
		return ""
	}
	taken := a.m.words | a.candidate.words | a.candidate.postcode
	at, said := s.findNumber(a, taken, s.x.places[s.x.streets[a.street].Place].Departement)
	if said == 0 {
		return ""
	}
	suffix := s.q.words[at].suffix
	if said != wordBit(at) {
		suffix, _ = s.suffixAsked(a, at)
	}
	if suffix == "" || sameSuffix(suffix, a.house.Suffix) {
		return ""
	}
	return strconv.Itoa(s.q.words[at].number) + " " + suffix
}

func (s *search) missingNumberWords(a *answer) wordSet {
	if a.street == noPlace || a.house.Number != 0 {
		return 0
	}
	taken := a.m.words | a.candidate.words | a.candidate.postcode
	_, number := s.findNumber(a, taken, s.x.places[s.x.streets[a.street].Place].Departement)
	return number & s.unmatchedWords(a)
}

// missingArrondissement says which arrondissements a city has where the query asks for another, next to its
// name: "Paris 21e". Empty: it has none, or none was asked for that it does not have.
func (s *search) missingArrondissement(a *answer) string {
	if a.street != noPlace || !a.candidate.written {
		return ""
	}
	asked := s.askedArrondissement(a)
	if asked == 0 {
		return ""
	}
	last := 0
	for i := range s.x.places {
		if p := &s.x.places[i]; p.Kind == layout.Arrondissement && p.Parent == a.candidate.place {
			if parts := layout.Split(s.x.textOf(p.Name)); len(parts) > 1 {
				n, _ := strconv.Atoi(parts[1].Text[:layout.LeadingDigits(parts[1].Text)])
				last = max(last, n)
			}
		}
	}
	if last == 0 || asked <= last {
		return ""
	}
	return fmt.Sprintf("%s has no arrondissement %d: its arrondissements are 1 to %d.",
		s.x.textOf(s.x.places[a.candidate.place].Name), asked, last)
}

// askedArrondissement is the number of the arrondissement that the query asks for, of what an answer
// does not have: an ordinal next to the name of the place, or before a word for one; or a number
// behind the name, with nothing else. 0: none.
func (s *search) askedArrondissement(a *answer) int {
	named, left := a.candidate.words, s.unmatchedWords(a)
	for rest := left; rest != 0; rest = rest.rest() {
		i := rest.first()
		w := &s.q.words[i]
		isOrdinalNext := named&(wordBit(i)<<1|wordBit(i)>>1) != 0 || i+1 < len(s.q.words) &&
			arrondissementWords[s.q.words[i+1].Text]
		if s.q.numbers.has(i) && (w.suffix == "e" && isOrdinalNext || left == wordBit(i) &&
			named&(wordBit(i)>>1) != 0) {
			return w.number
		}
	}
	return 0
}

// arrondissementWords are words for one.
var arrondissementWords = layout.Set("arrondissement arr ardt")

// hasAny reports whether one of the words is in the list.
func (q *query) hasAny(words wordSet, list map[string]bool) bool {
	for ; words != 0; words = words.rest() {
		if list[q.words[words.first()].Text] {
			return true
		}
	}
	return false
}

// equalsExceptFillers reports whether two sets of words are the same
// but for fillers: "département de la Corrèze".
func (q *query) equalsExceptFillers(words, named wordSet) bool {
	for apart := words ^ named; apart != 0; apart = apart.rest() {
		if !layout.Fillers[q.words[apart.first()].Text] {
			return false
		}
	}
	return true
}
