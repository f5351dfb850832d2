package geocode

import (
	"slices"
	"strings"

	"arpent/api/geocode/layout"
)

// facilities are words for what stands somewhere but is no address: there is no list of them to look in.
// Where no street bears such a word it says little, and must not be taken for another word misspelt.
var facilities = layout.Set("mairie prefecture gare aeroport metro ecole college lycee universite creche eglise mosquee synagogue " +
	"poste commissariat gendarmerie tribunal caserne hopital clinique pharmacie ehpad cimetiere stade gymnase piscine " +
	"mediatheque bibliotheque musee theatre cinema parking supermarche dechetterie camping")

// facilityPhrases are those of several words, by the first.
var facilityPhrases = map[string][][]string{
	"hotel":   {{"de", "ville"}, {"de", "police"}, {"des", "impots"}},
	"centre":  {{"commercial"}, {"hospitalier"}, {"culturel"}, {"social"}, {"de", "loisirs"}, {"de", "secours"}},
	"bureau":  {{"de", "poste"}, {"de", "tabac"}},
	"salle":   {{"des", "fetes"}, {"polyvalente"}, {"de", "sport"}},
	"palais":  {{"de", "justice"}},
	"maison":  {{"de", "retraite"}, {"medicale"}},
	"office":  {{"de", "tourisme"}},
	"groupe":  {{"scolaire"}},
	"terrain": {{"de", "sport"}},
	"sous":    {{"prefecture"}},
	"station": {{"service"}, {"de", "metro"}},
	"town":    {{"hall"}},
	"city":    {{"hall"}},
	"train":   {{"station"}},
	"ecole":   {{"maternelle"}, {"primaire"}, {"elementaire"}},
}

// generalNouns are words for what people look for in a town. They are also names of communes, or the first
// words of their names: Château (Saône-et-Loire), Prix-lès-Mézières.
var generalNouns = layout.Set("chateau chateaux maison maisons villa villas appartement appartements logement logements " +
	"terrain terrains immeuble immeubles immobilier hotel auberge gite camping commerce commerces " +
	"marche marches halle halles usine forge forges mine mines prix vente ventes achat location " +
	"loyer loyers population meteo carte plan centre ville bourg village port pont ponts tunnel " +
	"moulin moulins tour phare fort citadelle rempart remparts manoir palais ferme grange donjon " +
	"temple cathedrale abbaye chapelle prieure couvent monastere plage parc jardin jardins foret " +
	"bois lac etang riviere canal ile montagne vallee source fontaine grotte grottes bains thermes " +
	"zone camp hospice cimetiere")

// findNouns finds the words for what is looked for in a town that the query names as well. Such a word names
// no commune where the town is named first or last, or is larger than the communes that are called so; it is
// no part of the misspelt name of a smaller commune.
func (s *search) findNouns() {
	s.nouns = 0
	var all wordSet
	town := uint32(0) // population of the largest that is named
	for i := range s.q.words {
		text := s.q.words[i].Text
		if (generalNouns[text] || facilities[text]) && !s.isOfStreet(i) {
			all |= wordBit(i)
		}
	}
	for left := all; left != 0; left = left.rest() {
		noun := wordSet(1) << left.first()
		if at := left.first() - 1; at >= 0 && articles[s.q.words[at].Text] {
			noun |= wordBit(at)
		}
		if of := s.townWith(noun, all); of > 0 {
			s.nouns |= noun
			town = max(town, of)
		}
	}
	if s.nouns == 0 {
		return
	}
	s.t.candidates = slices.DeleteFunc(s.t.candidates, func(c candidate) bool {
		return !c.written && c.words&s.nouns != 0 && town > s.x.places[c.place].Population
	})
}

// isOfStreet reports whether a word may belong to the name of a street: a word for a kind of street stands
// before it, or it is one itself and words follow.
func (s *search) isOfStreet(at int) bool {
	kinds := s.q.words[:at]
	if at+1 < len(s.q.words) {
		kinds = s.q.words[:at+1]
	}
	return slices.ContainsFunc(kinds, func(w word) bool { return w.weight == layout.KindWeight })
}

// townWith returns the population of the largest commune that other words of the query name and that comes
// before those that a general noun names; 0: there is none.
func (s *search) townWith(noun, all wordSet) (town uint32) {
	most := uint32(0)
	for i := range s.t.candidates {
		c := &s.t.candidates[i]
		switch {
		case !c.written || c.words&noun == 0:
		case c.words&^noun != 0 && c.class != layout.ByHead: // the noun is a part of a longer name
			return 0
		case c.words&^noun != 0:
		case c.postcode != 0 || s.departementWords(s.x.places[c.place].Departement, c.words) != 0:
			return 0
		case c.class <= layout.ByArticle:
			most = max(most, s.x.places[c.place].Population)
		}
	}
	for i := range s.t.candidates {
		c := &s.t.candidates[i]
		p := &s.x.places[c.place]
		if c.written && c.class <= layout.ByArticle && c.words != 0 && c.words&all == 0 &&
			p.Kind == layout.Commune && !s.followsStreetKind(c.words.first()) &&
			(c.words.has(0) || c.words.has(len(s.q.words)-1) || p.Population > most) {
			town = max(town, p.Population)
		}
	}
	return town
}

// facilityWeight is that of the words for a facility, together, for an answer that has none of them.
const facilityWeight = 0.5

// facilityFactor is what an answer is worth, apart from its words, that has nothing of the facility that was
// asked for.
const facilityFactor = 0.9

// facility is where a query speaks of one.
type facility struct {
	from, to int
	ofStreet bool // it belongs to the name of a street: "place de la Gare"
}

func (f facility) phraseWords() wordSet { return wordBit(f.to) - wordBit(f.from) }

// findFacilities marks the words for facilities. After a kind of street they count as its name. Where the
// query says nothing else, they are all there is to look for.
func (q *query) findFacilities() {
	ofStreet, other := false, false
	for i := 0; i < len(q.words); i++ {
		ofStreet = ofStreet || q.words[i].weight == layout.KindWeight
		n := facilityLength(q.words[i:])
		if n == 0 {
			continue
		}
		q.facilities = append(q.facilities, facility{i, i + n, ofStreet})
		if !ofStreet {
			q.facilityWords |= wordBit(i+n) - wordBit(i)
		}
		i += n - 1
	}
	for i := range q.words {
		other = other || !q.facilityWords.has(i) && !layout.Fillers[q.words[i].Text]
	}
	if !other {
		q.facilities, q.facilityWords = nil, 0
	}
}

// facilityLength counts the words at the beginning that are for a facility; 0 when they are not.
func facilityLength(words []word) int {
	for _, tail := range facilityPhrases[words[0].Text] {
		if len(words) > len(tail) && sameWords(words[1:], tail) {
			return 1 + len(tail)
		}
	}
	if facilities[words[0].Text] {
		return 1
	}
	return 0
}

func sameWords(words []word, texts []string) bool {
	for i, text := range texts {
		if words[i].Text != text {
			return false
		}
	}
	return true
}

// ignoredWeight is the weight that the words for facilities do not
// have for an answer that explains these words.
func (q *query) ignoredWeight(explained wordSet) (weight float32) {
	for _, f := range q.facilities {
		if !f.ofStreet && f.phraseWords()&explained == 0 {
			weight += max(0, q.totalWeight(f.phraseWords())-facilityWeight)
		}
	}
	return weight
}

// keepsFacilities reports whether a spelling of words from…to-1 has the
// words for facilities in them as they stand.
func (q *query) keepsFacilities(from, to int, spelling string) bool {
	for _, f := range q.facilities {
		switch {
		case f.to <= from || f.from >= to:
		case f.from < from || f.to > to || !strings.Contains(spelling, q.words[f.from].Text):
			return false
		}
	}
	return true
}

// isFacility reports whether words from…to-1 are for a facility, small words aside: they are no name
// misspelt.
func (q *query) isFacility(from, to int) bool {
	some := false
	for i := from; i < to; i++ {
		some = some || q.facilityWords.has(i)
		if !q.facilityWords.has(i) && !layout.Fillers[q.words[i].Text] {
			return false
		}
	}
	return some
}
