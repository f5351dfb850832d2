package territory

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"arpent/api/cog"
	"arpent/api/geocode/layout"
)

// RegionNamed gives the code of the région of a name or a usual abbreviation (PACA), whatever its article,
// accents, capitals, hyphens and apostrophes; false: there is none.
func (s *Snapshot) RegionNamed(name string) (code string, ok bool) {
	name = trimArticle(name)
	if r, ok := s.regionNames[name]; ok {
		return r.code, true
	}
	return cog.FindRegionByAbbreviation(name)
}

// DescribeRegionName says of a name that no région has what région had it until 2015, else which régions have
// it but for one typing error. Empty: none, or one has the name.
func (s *Snapshot) DescribeRegionName(name string) string {
	if _, ok := s.RegionNamed(name); ok {
		return ""
	}
	words := strings.Fields(FoldName(name))
	words = slices.DeleteFunc(words, func(word string) bool { return layout.Fillers[word] })
	if former, ok := findFormerRegion(strings.Join(words, " ")); ok {
		for _, r := range s.regionNames {
			if r.code == former.Code {
				return former.Name + " " + former.Describe(r.name) + "."
			}
		}
	}
	return describeMisspelt(maps.All(s.regionNames), name)
}

// findFormerRegion finds a former région by its name as cog has it, but for one typing error.
func findFormerRegion(name string) (former cog.FormerRegion, ok bool) {
	if former, ok = cog.FindFormerRegion(name); ok || len(name) < minMisspelt {
		return former, ok
	}
	for other, region := range cog.YieldFormerRegions() {
		if isMisspelt(other, name) {
			return region, true
		}
	}
	return former, false
}

// DepartementNamed does as RegionNamed for a département, overseas ones included. The name may be that which
// it had before it was renamed. St and Ste may stand for Saint and Sainte, Hte and Hts for Haute and Hauts.
func (s *Snapshot) DepartementNamed(name string) (code string, ok bool) {
	name = expandAbbreviations(trimArticle(name))
	if former := cog.FindFormerDepartement(name); len(former) == 1 {
		return former[0], true
	}
	d, ok := s.departementNames[name]
	return d.code, ok
}

// DescribeDepartementName says of a name that no département has into which ones it was divided, else which
// ones have it but for one typing error. Empty: none, or one has the name.
func (s *Snapshot) DescribeDepartementName(name string) string {
	if _, ok := s.DepartementNamed(name); ok {
		return ""
	}
	name = expandAbbreviations(trimArticle(name))
	former := cog.FindFormerDepartement(name)
	var today []string
	for _, d := range s.departementNames {
		if len(former) > 1 && slices.Contains(former, d.code) {
			today = append(today, d.String())
		}
	}
	if today == nil {
		return describeMisspelt(maps.All(s.departementNames), name)
	}
	slices.Sort(today)
	return "It was divided: its territory is in " + strings.Join(today, ", ") + " now."
}

// describeMisspelt names the territories that are called so but for one typing error, else those of which a
// part of the name is; empty: there are none. Names are as trimArticle has them.
func describeMisspelt(names iter.Seq2[string, namedArea], text string) string {
	want := expandAbbreviations(trimArticle(strings.Trim(text, "0123456789() ")))
	for _, resembles := range []func(name, other string) bool{isMisspelt, hasMisspelt} {
		var meant []string
		for name, area := range names {
			if len(want) >= minMisspelt && resembles(name, want) && !slices.Contains(meant, area.String()) {
				meant = append(meant, area.String())
			}
		}
		if meant != nil {
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
		words[i] = cmp.Or(map[string]string{"st": "saint", "ste": "sainte", "hte": "haute", "hts": "hauts"}[word],
			word)
	}
	return strings.Join(words, " ")
}

// nameMatch is how the names of communes match a text.
type nameMatch int

const (
	equalName   nameMatch = iota
	longerName            // the name begins with the text
	earlierName           // the commune had the name
	formerName            // a commune that became part of the commune had the name
	dividedName           // a commune that was divided into the commune and others had the name
)

// CommuneNamed gives the code of the one commune of a name, whatever its accents, capitals, hyphens and
// apostrophes, else of the one whose name begins with these words (Chamonix, Sarlat, Havre), else of the one
// that had it before it was renamed (Châlons-sur-Marne), else of the one that a commune of this name became
// part of. St and Ste may stand for Saint and Sainte. The code of its département, or its postcode, may
// stand before or after it, the name of its département after it. It may also be an arrondissement: Paris
// 18e, Paris 75018. false: there is none, or there are several.
func (s *Snapshot) CommuneNamed(text string) (code string, ok bool) {
	if code = s.arrondissementWritten(text); code != "" {
		return code, true
	}
	found, _ := s.communesWritten(text)
	if len(found) != 1 {
		return "", false
	}
	return s.places[found[0]].CodeInsee, true
}

// DescribeNamesakes lists the communes that a name may mean, where there are several, and where one has it
// those whose names begin so: Aix-en-Provence, of Aix. A name of the past is explained. For a name that no
// commune has it lists those that have it but for one typing error, for the code of a commune the others of
// which that is the postcode. Empty: there are none of these.
func (s *Snapshot) DescribeNamesakes(text string) string {
	if at, ok := s.byCode.Find(text); ok {
		others := slices.DeleteFunc(slices.Clone(s.postcodes[text]), func(other int32) bool { return other == at })
		if len(others) == 0 {
			return ""
		}
		return text + " is also a postcode, which serves " + s.listCommunes(others) + "."
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
		return describeMisspelt(s.yieldCommuneNames, text)
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
	words, number := strings.Fields(expandAbbreviations(FoldName(text))), ""
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
		if d, ok := s.departementNames[trimArticle(strings.Join(words[n:], " "))]; ok {
			found, match = s.communesCalled(strings.Join(words[:n], " "), d.code)
		}
	}
	return found, match
}

// communesCalled gives the communes that a folded name may mean and that have a code which begins with a
// number, or this postcode; any where it is empty.
func (s *Snapshot) communesCalled(name, number string) (found []int32, match nameMatch) {
	fits := func(at int32) bool {
		return number == "" || strings.HasPrefix(s.places[at].CodeInsee, number) ||
			slices.Contains(s.postcodes[number], at)
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
		if len(found) > 0 {
			return found, nameMatch(match)
		}
	}
	return nil, equalName
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

// communesWithCode does that for a name without that of the département.
func (s *Snapshot) communesWithCode(name, code string) (codes []string) {
	add := func(own string, at int32) {
		fits := code == "" || own == code || strings.HasPrefix(own, code) || slices.Contains(s.postcodes[code], at)
		if fits && !slices.Contains(codes, own) {
			codes = append(codes, own)
		}
	}
	arrondissement := s.arrondissementServed(code)
	if name = FoldName(name); name == "" {
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

// arrondissementWritten gives the code of the arrondissement that a text names: Paris 18e, Paris 18, 18e
// arrondissement de Paris, Paris 75018. Empty: it names none, or the number may be that of the département
// of the city: Marseille 13.
func (s *Snapshot) arrondissementWritten(text string) string {
	name := FoldName(text)
	if first, rest, _ := strings.Cut(name, " "); postcodeForm.MatchString(first) {
		name = rest + " " + first
	}
	if a, ordinal := s.findNumbered(name); a != nil && (ordinal || !strings.HasSuffix(name, " "+s.places[a.commune].CodeDep)) {
		return a.code
	}
	at := max(0, strings.LastIndexByte(name, ' '))
	a := s.findTown(s.arrondissementServed(strings.TrimSpace(name[at:])))
	if a == nil || FoldName(s.places[a.commune].CommuneName) != name[:at] {
		return ""
	}
	return a.code
}

// findNumbered finds the arrondissement of whose city and number a folded name is made, and whether the
// number is written as an ordinal; nil: there is none.
func (s *Snapshot) findNumbered(name string) (a *town, isOrdinal bool) {
	name = romanForm.ReplaceAllStringFunc(name, func(word string) string {
		parts := romanForm.FindStringSubmatch(word)
		number := slices.Index(romanNumbers, parts[2]) + 1
		if number == 0 {
			return word
		}
		return parts[1] + strconv.Itoa(number) + parts[3]
	})
	parts := arrondissementForm.FindStringSubmatch(cityLast.ReplaceAllString(name, "$2 $1"))
	if parts == nil {
		return nil, false
	}
	for _, f := range s.arrondissementsNumbered(parts[1], parts[2]) {
		return s.findTown(f.code), parts[3] != ""
	}
	return nil, false
}

// arrondissementServed gives the code of the arrondissement that a postcode serves, whose last digits are its
// number: 75018, and also 75116. Empty: it serves none.
func (s *Snapshot) arrondissementServed(postcode string) string {
	for _, at := range s.postcodes[postcode] {
		found := s.arrondissementsNumbered(FoldName(s.places[at].CommuneName), strings.TrimLeft(postcode[3:], "0"))
		for _, f := range found {
			return f.code
		}
	}
	return ""
}

// arrondissementsNumbered gives the arrondissement of a city, whose name is as FoldName has it, by its
// number.
func (s *Snapshot) arrondissementsNumbered(city, number string) []formerCode {
	return slices.Concat(s.arrondissementNames[city+" "+number+"e"], s.arrondissementNames[city+" "+number+"er"])
}

// arrondissementForm is how the name of an arrondissement is written, as FoldName has it, cityLast the same
// with its city after it.
var (
	arrondissementForm = regexp.MustCompile(`^(.+) 0?([0-9]{1,2})((?: ?(?:e|er|eme|ieme))?(?: arr(?:ondissement|dt)?)?)$`)
	cityLast           = regexp.MustCompile(`^([0-9]{1,2} ?(?:e|er|eme|ieme)(?: arr(?:ondissement|dt)?)?) (?:de |a )?(.+)$`)
	romanForm          = regexp.MustCompile(`(^| )([ivx]+)(e|er|eme|ieme)?\b`)
	postcodeForm       = regexp.MustCompile(`^[0-9]{5}$`)
)

// romanNumbers are the numbers of arrondissements, from 1, as some write them: XVIIIe.
var romanNumbers = strings.Fields("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx")

// trimArticle is a name as FoldName has it, without the article that it may begin with.
func trimArticle(name string) string {
	name = FoldName(name)
	if article, rest, more := strings.Cut(name, " "); more && slices.Contains([]string{"la", "le", "les", "l"},
		article) {
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
