package territory

import (
	"cmp"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"arpent/api/cog"
	"arpent/api/geocode/layout"
)

// nameMatch is how the names of communes match a text.
type nameMatch int

const (
	equalName   nameMatch = iota
	longerName            // the name begins with the text
	earlierName           // the commune had the name
	formerName            // a commune that became part of the commune had the name
	dividedName           // a commune that was divided into the commune and others had the name
	nearName              // names of communes begin with the text, and much larger ones are nearly called so
)

// CommuneNamed gives the code of the one commune of a name, whatever its accents, capitals, hyphens and
// apostrophes, else of the one whose name begins with these words (Chamonix, Sarlat, Havre), else of the one
// that had it before it was renamed (Châlons-sur-Marne), else of the one that a commune of this name became
// part of. St and Ste may stand for Saint and Sainte, the English name for the French one. The code of its
// département, or its postcode, may stand before or after it, the name of its département after it, a word
// for a commune before it (ville de Lyon). It may also be an arrondissement: Paris 18e, Paris 75018. false:
// there is none, or there are several: Lyons may be the beginning of Lyons-la-Forêt, or Lyon, which is much
// larger.
func (s *Snapshot) CommuneNamed(text string) (code string, ok bool) {
	if code = s.arrondissementWritten(text); code != "" {
		return code, true
	}
	if code = cog.CompleteCode(text); code != text {
		if _, ok = s.byCode.Find(code); ok || s.findTown(code) != nil {
			return code, true
		}
	}
	found, _ := s.communesWritten(text)
	if len(found) != 1 {
		return "", false
	}
	return s.places[found[0]].CodeInsee, true
}

// DescribeCommune says of the code of an arrondissement which it is, and of any other text what
// DescribeNamesakes says.
func (s *Snapshot) DescribeCommune(text string) string {
	a := s.findTown(text)
	if a == nil {
		return s.DescribeNamesakes(text)
	}
	city := s.places[a.commune]
	return text + " is the code of " + a.name + ", which is part of " +
		namedArea{city.CodeInsee, city.CommuneName}.String() + "."
}

// DescribeNamesakes lists the communes that a name may mean, where there are several, and where one has it
// those whose names begin so: Aix-en-Provence, of Aix. A name of the past is explained. For a name that no
// commune has it says what else has it, or lists those that have it but for one typing error, for the code of
// a commune the others of which that is the postcode. Empty: there are none of these.
func (s *Snapshot) DescribeNamesakes(text string) string {
	if _, ok := s.byCode.Find(text); ok {
		if serves := s.listServedCommunes(text); serves != "" {
			return text + " is also a postcode, which serves " + serves + "."
		}
		return ""
	}
	if s.arrondissementWritten(text) != "" {
		return ""
	}
	if a, _ := s.findNumbered(FoldName(text)); a != nil {
		return "The arrondissement of this number is " + namedArea{a.code, a.name}.String() + "."
	}
	found, match := s.communesWritten(text)
	switch {
	case len(found) == 0:
		return cmp.Or(s.describeOtherLevel(text), s.describeSeveralCommunes(text),
			describeMisspelt(s.yieldCommuneNames, text))
	case match == nearName:
		return fmt.Sprintf("It may mean %s, the largest first: their names are spelt nearly so, or begin so.",
			s.listCommunes(found))
	case match == earlierName:
		return fmt.Sprintf("This name is a former one of %s.", s.listCommunes(found))
	case match == formerName && len(found) == 1:
		return fmt.Sprintf("This was a commune that is part of %s now: the answer is on all of that commune.",
			s.listCommunes(found))
	case match == formerName:
		return fmt.Sprintf("Communes of this name are parts of %s now; add the code of the département to the name.",
			s.listCommunes(found))
	case match == dividedName:
		return fmt.Sprintf("A commune of this name was divided: its territory is in %s now.", s.listCommunes(found))
	case len(found) == 1 && FoldName(text) == FoldName(s.places[found[0]].CommuneName):
		return s.describeOthers(found[0])
	case len(found) == 1 && match == equalName: // as Marseille has it, of Marseilles
		if longer := s.communesBeginning(trimArticle(text)); len(longer) > 0 {
			return "Other names begin so: " + s.listCommunes(longer) + "."
		}
		return ""
	case len(found) == 1:
		return ""
	case match == longerName:
		return fmt.Sprintf("The names of %d communes begin so: %s.", len(found), s.listCommunes(found))
	}
	message := fmt.Sprintf("%d communes have this name: %s; add the code of the département to the name.",
		len(found), s.listCommunes(found))
	if others := len(s.communesBeginning(trimArticle(FoldName(text)))) - len(found); others > 0 {
		message += fmt.Sprintf(" The names of %d others begin so: search_address has the largest of them first.", others)
	}
	return message
}

// yieldCommuneNames yields the names of all communes of today.
func (s *Snapshot) yieldCommuneNames(yield func(string, namedArea) bool) {
	for _, c := range s.communesByName {
		if !yield(c.name, namedArea{s.places[c.at].CodeInsee, s.places[c.at].CommuneName}) {
			return
		}
	}
}

// describeOthers lists the communes whose names begin with that of a commune, and those that have another one
// of this name in them; empty: there are none.
func (s *Snapshot) describeOthers(at int32) string {
	name, text := trimArticle(s.places[at].CommuneName), ""
	longer := slices.DeleteFunc(s.communesBeginning(name), func(other int32) bool { return other == at })
	if len(longer) > 0 {
		text = "Other names begin so: " + s.listCommunes(longer) + "."
	}
	if former := s.formerNames[name]; len(former) > 0 {
		text += " Communes of this name are parts of " + s.listCommunes(former) + " now."
	}
	return strings.TrimSpace(text)
}

// communesWritten gives the communes that a text may mean as CommuneNamed reads it, and how their names
// match.
func (s *Snapshot) communesWritten(text string) (found []int32, match nameMatch) {
	words, number := strings.Fields(expandAbbreviations(s.trimPostal(text))), ""
	isNumber := func(word string) bool { return strings.ContainsAny(word, "0123456789") }
	switch n := len(words); {
	case n > 1 && isNumber(words[n-1]):
		words, number = words[:n-1], strings.ToUpper(words[n-1])
	case n > 1 && isNumber(words[0]):
		words, number = words[1:], strings.ToUpper(words[0])
	}
	found, match = s.communesCalled(strings.Join(words, " "), number)
	for n := len(words) - 1; n > 0 && number == "" && len(found) == 0; n-- {
		if layout.Fillers[words[n-1]] { // Villeneuve-sur-Marne is no Villeneuve of the Marne
			continue
		}
		if in := s.listDepartementsOf(strings.Join(words[n:], " ")); in != nil {
			found, match = s.communesCalled(strings.Join(words[:n], " "), in...)
		}
	}
	if name := trimLevel(text); name != "" && len(found) == 0 {
		return s.communesWritten(name)
	}
	return found, match
}

// listDepartementsOf gives the codes of the département of a name, of those into which one of this name was
// divided, or of those of a région; nil: there are none.
func (s *Snapshot) listDepartementsOf(name string) (codes []string) {
	if d, ok := s.departementNames[trimArticle(name)]; ok {
		return []string{d.code}
	}
	if codes = cog.FindFormerDepartement(trimArticle(name)); codes != nil {
		return codes
	}
	region, ok := s.regionNames[trimArticle(name)]
	for code, d := range s.departements {
		if ok && d.region == region.code {
			codes = append(codes, code)
		}
	}
	return codes
}

// trimPostal gives a text as FoldName has it, without the words that lead letters (CEDEX, France), and with
// postcodes in one word of five digits: 93 140, and 6000 for 06000, as spreadsheets write it.
func (s *Snapshot) trimPostal(text string) string {
	name := postalForm.ReplaceAllString(FoldName(text), "")
	return dividedForm.ReplaceAllStringFunc(name, func(digits string) string {
		postcode := strings.ReplaceAll(digits, " ", "")
		if len(postcode) == 4 {
			postcode = "0" + postcode
		}
		if _, served := s.postcodes[postcode]; served {
			return postcode
		}
		return digits
	})
}

var (
	postalForm  = regexp.MustCompile(`(?: cedex(?: [0-9]{1,2})?)?(?: france)?$`)
	dividedForm = regexp.MustCompile(`\b[0-9]{2} [0-9]{3}\b|\b[0-9]{4}\b`)
)

// communesCalled gives the communes that a folded name may mean and that have a code which begins with one of
// these numbers, or is served by it as a postcode; any where there is none.
func (s *Snapshot) communesCalled(name string, numbers ...string) (found []int32, match nameMatch) {
	name = cog.FrenchCity(name)
	fits := func(at int32) bool {
		return len(numbers) == 0 || slices.ContainsFunc(numbers, func(number string) bool {
			return strings.HasPrefix(s.places[at].CodeInsee, number) || slices.Contains(s.postcodes[number], at)
		})
	}
	for match, called := range [...][]int32{
		equalName: s.communeNames[name], longerName: s.communesBeginning(trimArticle(name)),
		earlierName: s.earlierNames[trimArticle(name)], formerName: s.formerNames[trimArticle(name)],
		dividedName: s.dividedNames[trimArticle(name)],
	} {
		for _, at := range called {
			if fits(at) {
				found = append(found, at)
			}
		}
		if nameMatch(match) == longerName && len(found) > 0 {
			if larger := slices.DeleteFunc(s.listMuchLarger(trimArticle(name), found), func(at int32) bool {
				return !fits(at)
			}); len(larger) > 0 {
				return slices.Concat(larger, found), nearName
			}
		}
		if len(found) > 0 {
			return found, nameMatch(match)
		}
	}
	return nil, equalName
}

// listMuchLarger gives the communes that are called like a text but for one typing error and are much larger
// than all of those whose names begin with it, the largest first: the text may well mean them. None where one
// of those is called so, its article aside, and where the text ends with a word that joins others.
func (s *Snapshot) listMuchLarger(text string, beginning []int32) (found []int32) {
	most := int32(0)
	for _, at := range beginning {
		most = max(most, s.populations[at])
		if trimArticle(s.places[at].CommuneName) == text {
			return nil
		}
	}
	if len(text) < minMisspelt || layout.Fillers[text[strings.LastIndexByte(text, ' ')+1:]] {
		return nil
	}
	for _, c := range s.communesByName {
		if layout.IsMuchLarger(s.populations[c.at], most) && isMisspelt(c.name, text) {
			found = append(found, c.at)
		}
	}
	slices.SortFunc(found, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.populations[b], s.populations[a]), cmp.Compare(a, b))
	})
	return found
}

// minBeginning is how long the beginning of a name is that is taken for the name.
const minBeginning = 3

// communesBeginning gives the communes whose names begin with these words, the article aside, by name.
func (s *Snapshot) communesBeginning(words string) (found []int32) {
	if len(words) < minBeginning {
		return nil
	}
	from, _ := slices.BinarySearchFunc(s.communesByName, words, func(c namedCommune, want string) int {
		return strings.Compare(c.name, want)
	})
	for _, c := range s.communesByName[from:] {
		rest, ok := strings.CutPrefix(c.name, words)
		if !ok {
			break
		}
		if rest == "" || rest[0] == ' ' {
			found = append(found, c.at)
		}
	}
	return found
}

// CommunesCalled gives the codes of the communes and arrondissements of a name, whatever its accents,
// capitals, hyphens and apostrophes, that have a code or a postcode, or are in a département of this code.
// Either may be empty. The name of the département may stand after that of the commune, which must lie in it:
// Bondy (Seine-Saint-Denis).
func (s *Snapshot) CommunesCalled(name, code string) (codes []string) {
	codes = s.communesWithCode(name, code)
	if inner := trimLevel(name); inner != "" && len(codes) == 0 {
		return s.CommunesCalled(inner, code)
	}
	words := strings.Fields(FoldName(name))
	for n := len(words) - 1; n > 0 && len(codes) == 0; n-- {
		departement, ok := s.departementNames[trimArticle(strings.Join(words[n:], " "))]
		if !ok {
			continue
		}
		codes = slices.DeleteFunc(s.communesWithCode(strings.Join(words[:n], " "), code), func(own string) bool {
			return !strings.HasPrefix(own, departement.code)
		})
	}
	return codes
}

// CommunesNearlyCalled gives the codes of the communes that have a name but for one typing error, as
// CommunesCalled does for those that have it.
func (s *Snapshot) CommunesNearlyCalled(name, code string) (codes []string) {
	want := expandAbbreviations(trimArticle(cmp.Or(trimLevel(name), name)))
	if len(want) < minMisspelt {
		return nil
	}
	for _, c := range s.communesByName {
		own := s.places[c.at].CodeInsee
		if (strings.HasPrefix(own, code) || slices.Contains(s.postcodes[code], c.at)) && isMisspelt(c.name, want) {
			codes = append(codes, own)
		}
	}
	slices.Sort(codes)
	return codes
}

// communesWithCode does that for a name without that of the département.
func (s *Snapshot) communesWithCode(name, code string) (codes []string) {
	add := func(own string, at int32) {
		fits := code == "" || own == code || strings.HasPrefix(own, code) || slices.Contains(s.postcodes[code], at)
		if fits && !slices.Contains(codes, own) {
			codes = append(codes, own)
		}
	}
	arrondissement := s.arrondissementServed(code)
	if name = cog.FrenchCity(replaceRoman(FoldName(name))); name == "" {
		place, known := s.Place(code)
		switch {
		case known && (place.CodeInsee == code || place.CodeArr != ""):
			return []string{code}
		case arrondissement != "":
			return []string{arrondissement}
		}
		for _, at := range s.postcodes[code] {
			codes = append(codes, s.places[at].CodeInsee)
		}
		if codes == nil && known {
			codes = []string{code} // of a commune that was merged
		}
		return codes
	}
	for _, at := range s.communeNames[name] {
		add(s.places[at].CodeInsee, at)
		for _, list := range s.arrondissementNames {
			for _, f := range list {
				if f.now == at {
					add(f.code, at)
				}
			}
		}
	}
	if parts := arrondissementForm.FindStringSubmatch(name); parts != nil {
		for _, f := range s.arrondissementsNumbered(parts[1], parts[2]) {
			add(f.code, f.now)
		}
	}
	if slices.Contains(codes, arrondissement) {
		return []string{arrondissement}
	}
	slices.Sort(codes)
	return codes
}

// trimArticle is a name as FoldName has it, without the article that it may begin with.
func trimArticle(name string) string {
	name = FoldName(name)
	if article, rest, more := strings.Cut(name, " "); more && slices.Contains([]string{"la", "le", "les", "l",
		"the"}, article) {
		return rest
	}
	return name
}

// FoldName is a name as it is compared: letters and digits without
// accents or capitals, and one blank between words.
func FoldName(name string) string {
	var out strings.Builder
	for _, r := range norm.NFKD.String(strings.NewReplacer("œ", "oe", "Œ", "oe", "æ", "ae", "Æ",
		"ae").Replace(name)) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r):
			out.WriteRune(unicode.ToLower(r))
		case !unicode.Is(unicode.Mn, r):
			out.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

// maxFarNames is how many territories a text may mean that has more than one typing error.
const maxFarNames = 5

// describeMisspelt names the territories that are called so but for one typing error, else those whose name
// has two letters more, else those of which a part of the name is, else the few whose name has another letter
// in four; empty: there are none. Of several those whose code begins with the number in the text, if it has
// one. Names are as trimArticle has them.
func describeMisspelt(names iter.Seq2[string, namedArea], text string) string {
	want := expandAbbreviations(trimArticle(strings.Trim(text, "0123456789() ")))
	number := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
	lacksTwo := func(name, other string) bool { return layout.LacksLetters(other, name, 2) }
	most := min(len(want)/4, 3)
	var pattern layout.Pattern
	differsLittle := func(name, _ string) bool { return most > 1 && pattern.Distance(name, most) <= most }
	if len(want) <= layout.MaxDistance {
		pattern.Set(want)
	}
	for i, resembles := range []func(name, other string) bool{isMisspelt, lacksTwo, hasMisspelt, differsLittle} {
		var meant, numbered []string
		for name, area := range names {
			if len(want) < minMisspelt || !resembles(name, want) || slices.Contains(meant, area.String()) {
				continue
			}
			if meant = append(meant, area.String()); number != "" && strings.HasPrefix(area.code, number) {
				numbered = append(numbered, area.String())
			}
		}
		if numbered != nil {
			meant = numbered
		}
		if meant != nil && (i < 3 || len(meant) <= maxFarNames) {
			slices.Sort(meant)
			return "Nearly called so: " + JoinNames(meant) + "."
		}
	}
	return ""
}

// expandAbbreviations writes words of a name as FoldName has it out that people abbreviate.
func expandAbbreviations(name string) string {
	words := strings.Fields(name)
	for i, word := range words {
		words[i] = cmp.Or(map[string]string{"st": "saint", "ste": "sainte", "hte": "haute", "hts": "hauts",
			"s": "sur", "ss": "sous"}[word], word)
	}
	return strings.Join(words, " ")
}
