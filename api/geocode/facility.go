package geocode

import (
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
