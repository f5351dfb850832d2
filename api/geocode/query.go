package geocode

import (
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"arpent/api/cog"
	"arpent/api/geocode/layout"
)

const (
	// MaxQuery is the greatest number of characters of a query.
	MaxQuery = 200
	// A query of fewer characters than this finds communes of exactly this name only.
	shortQuery = 3
	// maxWords is how many words of a query are looked at: a set of them is one machine word.
	maxWords = 24
)

// CheckQuery gives the query without blanks around it, and whether it can be searched:
// 1 to 200 characters, no control characters.
func CheckQuery(q string) (trimmed string, ok bool) {
	q = strings.TrimSpace(q)
	if q == "" || !utf8.ValidString(q) || utf8.RuneCountInString(q) > MaxQuery {
		return "", false
	}
	for _, r := range q {
		if unicode.IsControl(r) {
			return "", false
		}
	}
	return q, true
}

// aroundPlace ends what asks for what lies around a place, before the place; aboutPlace is what asks for what is
// known of a street or an address, and of a year: ventes rue Blanqui 2024.
var (
	aroundPlace = regexp.MustCompile(`(?i)^.*?(\d\s*(k?m|(kilo)?m[eè]t[a-z]+)\s+(autour |around )?` + ofPlace +
		`|\b(autour|around)\s+` + ofPlace + `?|(pr[eè]s|proches?|proximit[eé]|à c[oô]t[eé])\s+` + ofPlace +
		`|\b(nearest|closest)\s.*?\s(to|of|from)\s+)\s*(\pL|\d)`)
	aboutPlace = regexp.MustCompile(`(?i)^\s*(?:ventes?|prix|estimation|sales?|prices?|zonage|zoning|zone plui?|plui?|` +
		`dpe|risques?|risks?|permis|parcelle|parcel)` +
		`(?:\s+(?:du|de|des|la|le|au|à|in|on|of|for|the|at|m2|m²|sur|dans|plui?))*\s+` +
		`((?:\d+\s*(?:bis|ter)?[\s,]+)?(?:rue|r|avenue|ave?|all[eé]e|boulevard|bd|place|chemin|impasse|quai|route|villa|` +
		`passage|square|cours|cit[eé])[\s.].*?)(?:\s+(?:en|in)?\s*(?:19|20)\d\d)?\s*$`)
)

const ofPlace = `(du |de la |de l['’]|des |de |d['’]|of |from )`

// cutAround gives the place in a query that asks for what lies around it, as "écoles à moins de 500 m du 12
// allée des Roses" does, or is known of it, as "ventes rue Blanqui 2024" does; false: it asks for the place
// itself.
func cutAround(q string) (place string, isAround bool) {
	if at := aroundPlace.FindStringSubmatchIndex(q); at != nil {
		return q[at[len(at)-2]:], true
	}
	if m := aboutPlace.FindStringSubmatch(q); m != nil {
		return m[1], true
	}
	return q, false
}

// word is one word of a query, with all it may be.
type word struct {
	layout.Part
	weight float32
	number int    // what it says as the number of a house; 0: it is none
	suffix string // the letter that is written onto the number: 12b
	typed  string // how it stands in the query; empty: as it is
}

// wordSet is a set of words of a query, by their places.
type wordSet uint32

func wordBit(i int) wordSet { return 1 << i }

func (s wordSet) has(i int) bool { return s&wordBit(i) != 0 }

// first and rest go through a set that is not empty.
func (s wordSet) first() int    { return bits.TrailingZeros32(uint32(s)) }
func (s wordSet) rest() wordSet { return s & (s - 1) }
func (s wordSet) count() int    { return bits.OnesCount32(uint32(s)) }

// query is what was asked, in words.
type query struct {
	words []word
	total float32 // weight of all words
	// numbers and postcodes are the words that can be a house number or a postcode.
	numbers, postcodes wordSet
	apart              wordSet // the suffix of the number, where it stands elsewhere
	// facilities are what the query names that is no address, facilityWords all their words.
	facilities    []facility
	facilityWords wordSet
}

const (
	postcodeWeight = 1
	suffixWeight   = 0.25
)

// parseParts finds the words of a query. Words that lead letters but name no
// place (CEDEX, boîte postale) are left out.
func parseParts(parts []layout.Part) *query {
	out := &query{words: make([]word, 0, min(len(parts), maxWords))}
	for i := 0; i < len(parts) && len(out.words) < maxWords; i++ {
		p := parts[i]
		if skip := postalLength(parts[i:]); skip > 0 && skip < len(parts) && !(p.Text == "france" && layout.Fillers[parts[i-1].Text]) { // Tremblay-en-France
			i += skip - 1
			continue
		}
		several, ok := layout.Phrases[p.Text]
		if !ok {
			several = []string{p.Text}
		}
		for _, text := range several {
			out.addWord(layout.Part{Text: text, Elided: p.Elided, Slashed: p.Slashed})
		}
	}
	for i := range out.words {
		out.ignoreIndoors(i)
	}
	out.moveSuffix()
	out.findFacilities()
	for i := range out.words {
		out.total += out.words[i].weight
	}
	return out
}

// postalLength counts the words at the beginning that are about delivering post, not about where a place is.
func postalLength(parts []layout.Part) int {
	next := ""
	if len(parts) > 1 {
		next = parts[1].Text
	}
	digits := layout.LeadingDigits(next)
	switch parts[0].Text {
	case "cedex":
		if digits > 0 && digits == len(next) && len(next) <= 2 {
			return 2
		}
		return 1
	case "bp", "cs", "tsa":
		if digits > 0 && digits == len(next) {
			return 2
		}
	case "n", "no", "num", "numero":
		if digits > 0 && len(next) < 5 {
			return 1
		}
	case "f":
		if len(next) == 5 && digits == 5 {
			return 1
		}
	case "france":
		if !slices.ContainsFunc(parts[1:], func(p layout.Part) bool { return !layout.IsDigit(p.Text[0]) }) {
			return 1
		}
	}
	return 0
}

// Words for a part of a building and the word after them, if it is short, hardly count: but there are
// communes called Bats and Saint-Saturnin-lès-Apt.
const indoorsWeight = 0.1

// ignoreIndoors takes what is said of the inside of a building out of
// what is looked for: "appt 3", "1er étage".
func (q *query) ignoreIndoors(i int) {
	w := &q.words[i]
	next := i + 1
	if w.Text == "etage" && i > 0 && q.numbers.has(i-1) {
		next = i - 1
	}
	if !layout.IndoorsWords[w.Text] || next == len(q.words) || next > i && len(q.words[next].Text) > 2 {
		return
	}
	w.weight, q.words[next].weight = indoorsWeight, indoorsWeight
	q.numbers &^= wordBit(next)
}

// moveSuffix finds the bis of "15 rue Borel bis": a suffix away from the only number.
func (q *query) moveSuffix() {
	if q.numbers == 0 || q.numbers.rest() != 0 {
		return
	}
	at := q.numbers.first()
	if _, said := q.suffixAfter(at); said != 0 || q.words[at].suffix != "" {
		return
	}
	for i := at + 2; i < len(q.words); i++ {
		if layout.NumberSuffixes[q.words[i].Text] {
			q.words[i].weight = suffixWeight
			q.apart = wordBit(i)
			return
		}
	}
}

func (q *query) addWord(p layout.Part) {
	if len(q.words) == maxWords {
		return
	}
	w := word{Part: p, weight: layout.Weight(p.Text)}
	if full, ok := layout.Kinds[p.Text]; ok {
		w.weight = layout.Weight(full)
	} else if full, ok := layout.Titles[p.Text]; ok {
		w.weight = layout.Weight(full)
	}
	at := len(q.words)
	n := layout.LeadingDigits(p.Text)
	switch {
	case n == len(p.Text) && n == 5:
		w.weight = postcodeWeight
		q.postcodes |= wordBit(at)
	case n == 0 || n > 4 || n < len(p.Text)-1:
	default:
		w.number, _ = strconv.Atoi(p.Text[:n])
		w.suffix = p.Text[n:]
		if w.number > 0 {
			q.numbers |= wordBit(at)
		}
	}
	if at > 0 && q.words[at-1].number > 0 && isSuffix(p) {
		w.weight = suffixWeight
	}
	q.words = append(q.words, w)
}

// convertToPostcode makes a number of four digits the postcode that it is with the zero that it lacks.
func (q *query) convertToPostcode(at int) {
	w := &q.words[at]
	w.typed, w.Text, w.number = w.Text, "0"+w.Text, 0
	q.total += postcodeWeight - w.weight
	w.weight = postcodeWeight
	q.numbers &^= wordBit(at)
	q.postcodes |= wordBit(at)
}

// isSuffix reports whether a word after a number may be its suffix.
func isSuffix(p layout.Part) bool {
	return layout.NumberSuffixes[p.Text] || len(p.Text) == 1 && !p.Elided && p.Text[0] >= 'a' && p.Text != "r"
}

// totalWeight is the weight of a set of words.
func (q *query) totalWeight(s wordSet) (sum float32) {
	for ; s != 0; s = s.rest() {
		sum += q.words[s.first()].weight
	}
	return sum
}

// allWords is the set of all words.
func (q *query) allWords() wordSet { return wordBit(len(q.words)) - 1 }

// joinWords is the name of a place that words from…to-1 make.
func (q *query) joinWords(from, to int) string {
	var b strings.Builder
	for _, w := range q.words[from:to] {
		b.WriteString(layout.PlaceWord(w.Part))
	}
	return b.String()
}

// longSuffixAfter finds the two words after the number at a place that may be its suffix: bis a, 1/3. Empty:
// they are none.
func (q *query) longSuffixAfter(at int) (suffix string, said wordSet) {
	if at+2 >= len(q.words) || q.words[at].suffix != "" {
		return "", 0
	}
	first, second := q.words[at+1].Part, q.words[at+2].Part
	if !first.Slashed && (!layout.NumberSuffixes[first.Text] || len(second.Text) > 1) {
		return "", 0
	}
	return layout.SuffixOfParts([]layout.Part{first, second}), wordBit(at+1) | wordBit(at+2)
}

// suffixAfter finds the suffix of the number at a place, and the words that say it.
func (q *query) suffixAfter(at int) (suffix string, said wordSet) {
	if q.words[at].suffix != "" {
		return q.words[at].suffix, 0
	}
	if at+1 < len(q.words) && isSuffix(q.words[at+1].Part) {
		return q.words[at+1].Text, wordBit(at + 1)
	}
	if q.apart != 0 {
		return q.words[q.apart.first()].Text, q.apart
	}
	return "", 0
}

// leadWords stand before a name for what it is the name of, leadLinks between both: ville de Lyon.
var (
	leadWords = layout.Set("ville city town village commune municipality")
	leadLinks = layout.Set("de du des d of")
)

// rewriteParts gives the words of a query in the form in which names are looked up: without English articles
// and words for what a name is the name of, postcodes in one word, numbers of arrondissements in digits.
func (x *Index) rewriteParts(parts []layout.Part) []layout.Part {
	if len(parts) > 1 && parts[0].Text == "the" {
		parts = parts[1:]
	}
	parts = x.trimLead(parts)
	if len(parts) == 1 {
		parts = []layout.Part{{Text: strings.ToLower(cog.CompleteCode(parts[0].Text)), Elided: parts[0].Elided}}
	}
	out := make([]layout.Part, 0, len(parts))
	for i := 0; i < len(parts); i++ {
		p := parts[i]
		switch {
		case len(parts) > 1 && p.Text == "of", p.Text == "the" && i > 0 && parts[i-1].Text == "in":
			continue
		case p.Text == "in" && i > 0 && i+1 < len(parts) && parts[i+1].Text != "memoriam":
			continue
		case x.isDividedPostcode(parts[i:]):
			p.Text += parts[i+1].Text
			i++
		default:
			p.Text = x.readRoman(parts, i)
		}
		out = append(out, p)
	}
	return out
}

// trimLead leaves out the words before a name for what it is the name of, unless they belong to one: La
// Ville-du-Bois.
func (x *Index) trimLead(parts []layout.Part) []layout.Part {
	from := 0
	if len(parts) > 0 && (parts[0].Text == "la" || parts[0].Text == "le") {
		from = 1
	}
	if len(parts) < from+3 || !leadWords[parts[from].Text] || !leadLinks[parts[from+1].Text] {
		return parts
	}
	name := ""
	for i, p := range parts[:min(len(parts), maxPlaceWords)] {
		name += layout.PlaceWord(p)
		if _, ok := x.aliases.Find(name); ok && i > from {
			return parts
		}
	}
	return parts[from+2:]
}

// isDividedPostcode reports whether words begin with a postcode in two words, 93 140, and are not the number
// of a house: a word for a kind of street does not follow.
func (x *Index) isDividedPostcode(parts []layout.Part) bool {
	if len(parts) < 2 || len(parts[0].Text) != 2 || len(parts[1].Text) != 3 {
		return false
	}
	if len(parts) > 2 && (layout.Kinds[parts[2].Text] != "" || layout.Weight(parts[2].Text) == layout.KindWeight) {
		return false
	}
	return x.postcodePlaces(layout.PostcodeNumber(parts[0].Text+parts[1].Text)) != nil
}

// readRoman gives a word, in digits where it is the number of an arrondissement in Roman numerals: those of
// the city before it, or with the ending of an ordinal those of any city that the query names.
func (x *Index) readRoman(parts []layout.Part, at int) string {
	text := parts[at].Text
	roman := strings.TrimRight(text, "erm")
	n := layout.RomanNumber(roman)
	if n == 0 || !slices.Contains([]string{"", "e", "er", "eme"}, text[len(roman):]) {
		return text
	}
	ordinal := strconv.Itoa(n) + "e"
	for i, p := range parts {
		if _, ok := x.aliases.Find(p.Text + ordinal); ok && (i == at-1 || roman != text) {
			return ordinal
		}
	}
	return text
}
