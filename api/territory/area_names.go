package territory

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"arpent/api/cog"
	"arpent/api/geocode/layout"
)

// RegionNamed gives the code of the région of a French or English name or a usual abbreviation (PACA),
// whatever its article, accents, capitals, hyphens and apostrophes; false: there is none. Words for what it
// is may stand before the name: région Bretagne, region of Brittany.
func (s *Snapshot) RegionNamed(text string) (code string, ok bool) {
	for _, name := range listReadings(text) {
		if r, ok := s.regionNames[name]; ok {
			return r.code, true
		}
		if code, ok := cog.FindRegionByAbbreviation(name); ok {
			return code, true
		}
	}
	return readNumbered(text, func(code string) bool { return s.regions[code] != nil }, s.RegionNamed)
}

// numberWords stand before the code of a département or région.
var numberWords = layout.Set("departement department dept dep region code numero no n")

// readNumbered gives the code that stands in a text next to its name or alone, with words that say so: Ain
// (01), dept 93, D93. false: there is none, or the name is another's.
func readNumbered(text string, isCode func(string) bool, named func(string) (string, bool)) (code string, ok bool) {
	if code = cog.CompleteCode(text); code != text && isCode(code) {
		return code, true
	}
	code = ""
	var rest []string
	for _, word := range strings.Fields(FoldName(text)) {
		switch upper := strings.ToUpper(word); {
		case code == "" && isCode(upper):
			code = upper
		case !numberWords[word]:
			rest = append(rest, word)
		}
	}
	if code == "" || strings.ToUpper(text) == code {
		return "", false
	}
	if of, _ := named(strings.Join(rest, " ")); rest != nil && of != code {
		return "", false
	}
	return code, true
}

// listReadings gives the forms in which names of régions and départements are looked up: the text as
// trimArticle has it, with abbreviations written out and in French, and so what follows a word for a level.
func listReadings(text string) (names []string) {
	read := func(text string) { names = append(names, cog.FrenchName(expandAbbreviations(trimArticle(text)))) }
	read(text)
	if name := trimLevel(text); name != "" {
		read(name)
	}
	return names
}

// levelForm is a name, as FoldName has it, with a word before it for what it is the name of.
var levelForm = regexp.MustCompile(`^(?:the |la |le )?(?:region|departement|department|commune|municipality|` +
	`ville|city|town|village|mairie|hotel de ville|town hall|city hall)(?: (?:of|de la|de l|des|du|de|d))? (.+)$`)

// trimLevel gives a name without the word for what it is the name of: ville de Lyon, region of Brittany.
// Empty: there is no such word.
func trimLevel(text string) string {
	if parts := levelForm.FindStringSubmatch(FoldName(text)); parts != nil {
		return parts[1]
	}
	return ""
}

// countryNames are what the whole country is called, as trimArticle has it.
var countryNames = []string{"france", "france entiere", "whole of france", "france metropolitaine"}

// DescribeRegionName says of a name that no région has what région had it until 2015, what else has the name
// or code, or which régions have it but for one typing error; of a code of a région, which département has it
// too. Empty: none, or one has the name.
func (s *Snapshot) DescribeRegionName(text string) string {
	if s.regions[text] != nil {
		return s.describeSameCode(text)
	}
	if _, ok := s.RegionNamed(text); ok {
		return ""
	}
	for _, name := range listReadings(text) {
		words := slices.DeleteFunc(strings.Fields(name), func(word string) bool { return layout.Fillers[word] })
		if former, ok := findFormerRegion(strings.Join(words, " ")); ok {
			if today := findArea(s.regionNames, former.Code); today.code != "" {
				return former.Name + " " + former.Describe(today.name) + "."
			}
		}
	}
	if slices.Contains(countryNames, trimArticle(text)) {
		return "France as a whole is no région: france in rankings is its figure of each metric, and its sum where the " +
			"metric is a number of inhabitants."
	}
	return cmp.Or(s.describeOtherLevel(text), s.describeSeveralRegions(text),
		describeMisspelt(maps.All(s.regionNames), text))
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
func (s *Snapshot) DepartementNamed(text string) (code string, ok bool) {
	for _, name := range listReadings(text) {
		if former := cog.FindFormerDepartement(name); len(former) == 1 {
			return former[0], true
		}
		if d, ok := s.departementNames[name]; ok {
			return d.code, true
		}
	}
	return readNumbered(text, func(code string) bool { return s.departements[code] != nil || s.overseas[code] != nil },
		s.DepartementNamed)
}

// DescribeDepartementName says of a name that no département has into which ones it was divided, what else
// has the name or code, or which ones have it but for one typing error. Empty: none, or one has the name.
// Of the name of a région that was one département (Corse) it names the région, too.
func (s *Snapshot) DescribeDepartementName(text string) string {
	if _, ok := s.DepartementNamed(text); ok || s.departements[text] != nil || s.overseas[text] != nil {
		return ""
	}
	names := listReadings(text)
	former := cog.FindFormerDepartement(names[len(names)-1])
	var today []string
	for _, d := range s.departementNames {
		if len(former) > 1 && slices.Contains(former, d.code) {
			today = append(today, d.String())
		}
	}
	if today == nil {
		return cmp.Or(s.describeOtherLevel(text), s.describeSeveralDepartements(text),
			describeMisspelt(maps.All(s.departementNames), text))
	}
	slices.Sort(today)
	said := "It was divided: its territory is in " + strings.Join(today, ", ") + " now."
	if code, ok := s.RegionNamed(text); ok {
		said += " All of it is the région " + findArea(s.regionNames, code).String() + ", which get_region describes."
	}
	return said
}
