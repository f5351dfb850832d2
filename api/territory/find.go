package territory

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"
	"golang.org/x/text/unicode/norm"

	"arpent/api/cog"
	"arpent/api/reply"
	"arpent/internal/opendata/geom"
	"arpent/internal/opendata/stats"
)

// Regions lists the régions, with their population where statistics are included.
func (s *Snapshot) Regions(inc Include) (reply.Reply, error) {
	return addPopulation(s.regionList, stats.Region, inc)
}

// Region returns a région. It returns fault.Missing for an unknown code, as do the methods below.
func (s *Snapshot) Region(code string, inc Include) (reply.Reply, error) {
	r, ok := s.regions[code]
	if !ok {
		return reply.Reply{}, s.regionNotFound(code)
	}
	return r.composeArea(inc, stats.Region, code, "departements", inc.Departements), nil
}

// Departements lists the metropolitan départements, of one région unless region is empty, with
// their population where statistics are included.
func (s *Snapshot) Departements(region string, inc Include) (reply.Reply, error) {
	if region == "" {
		return addPopulation(s.departementList, stats.Departement, inc)
	}
	r, ok := s.regions[region]
	if !ok {
		return reply.Reply{}, s.regionNotFound(region)
	}
	return addPopulation(r.list, stats.Departement, inc)
}

// addPopulation adds to a list the population of each territory, as its statistics give it.
func addPopulation(list reply.Reply, level stats.Level, inc Include) (reply.Reply, error) {
	if inc.Stats == nil {
		return list, nil
	}
	var all CodeNameList
	if err := json.Unmarshal(list.Body, &all); err != nil {
		return reply.Reply{}, fmt.Errorf("read a list: %w", err)
	}
	for i := range all.Data {
		inc.Buffer = inc.Stats.Of(level, all.Data[i].Code).Append(inc.Buffer[:0])
		figures := gjson.ParseBytes(inc.Buffer)
		all.Data[i].Population = &Inhabitants{intValue(figures.Get("population")),
			intValue(figures.Get("sources.population.year"))}
	}
	return encodeList(all.Data)
}

// intValue is the number in a body; nil where there is none.
func intValue(value gjson.Result) *int {
	if value.Type != gjson.Number {
		return nil
	}
	return new(int(value.Int()))
}

// Departement returns a metropolitan département.
func (s *Snapshot) Departement(code string, inc Include) (reply.Reply, error) {
	if d, ok := s.departements[code]; ok {
		return d.composeArea(inc, stats.Departement, code, "communes", inc.Communes), nil
	}
	if err := s.NoOverseas(code); err != nil {
		return reply.Reply{}, err
	}
	return reply.Reply{}, departementNotFound(code)
}

// RegionNamed gives the code of the région of a name or a usual abbreviation (PACA), whatever its article,
// accents, capitals, hyphens and apostrophes; false: there is none.
func (s *Snapshot) RegionNamed(name string) (code string, ok bool) {
	name = trimArticle(name)
	if code, ok = s.regionNames[name]; ok {
		return code, true
	}
	return cog.FindRegionByAbbreviation(name)
}

// DepartementNamed does that for a département, overseas ones included.
func (s *Snapshot) DepartementNamed(name string) (code string, ok bool) {
	code, ok = s.departementNames[trimArticle(name)]
	return code, ok
}

// CommuneNamed gives the code of the one commune of a name, whatever its accents, capitals, hyphens and
// apostrophes, else of the one whose name begins with these words: Chamonix, Sarlat, Havre. St and Ste may
// stand for Saint and Sainte. The code of its département, or its postcode, may stand before or after it, the
// name of its département after it. false: there is none, or there are several.
func (s *Snapshot) CommuneNamed(text string) (code string, ok bool) {
	found, _ := s.communesWritten(text)
	if len(found) != 1 {
		return "", false
	}
	return s.places[found[0]].CodeInsee, true
}

// DescribeNamesakes lists the communes that a name may mean, where there are several, and where one has it those
// whose names begin so: Aix-en-Provence, of Aix. Empty: there are none.
func (s *Snapshot) DescribeNamesakes(text string) string {
	found, begin := s.communesWritten(text)
	switch {
	case len(found) == 1 && FoldName(text) == FoldName(s.places[found[0]].CommuneName):
		return s.describeLonger(found[0])
	case len(found) < 2:
		return ""
	case begin:
		return fmt.Sprintf("The names of %d communes begin so: %s.", len(found), s.listCommunes(found))
	}
	return fmt.Sprintf("%d communes have this name: %s; add the code of the département to the name.",
		len(found), s.listCommunes(found))
}

// describeLonger lists the communes whose names begin with that of a commune; empty: there are none.
func (s *Snapshot) describeLonger(at int32) string {
	name := trimArticle(s.places[at].CommuneName)
	longer := slices.DeleteFunc(s.communesBeginning(name), func(other int32) bool { return other == at })
	if len(longer) == 0 {
		return ""
	}
	return "Other names begin so: " + s.listCommunes(longer) + "."
}

// communesWritten gives the communes that a text may mean as CommuneNamed reads it, and whether their names
// only begin so.
func (s *Snapshot) communesWritten(text string) (found []int32, begin bool) {
	words, number := strings.Fields(FoldName(text)), ""
	isNumber := func(word string) bool { return strings.ContainsAny(word, "0123456789") }
	switch n := len(words); {
	case n > 1 && isNumber(words[n-1]):
		words, number = words[:n-1], strings.ToUpper(words[n-1])
	case n > 1 && isNumber(words[0]):
		words, number = words[1:], strings.ToUpper(words[0])
	}
	for i, word := range words {
		words[i] = cmp.Or(map[string]string{"st": "saint", "ste": "sainte"}[word], word)
	}
	found, begin = s.communesCalled(strings.Join(words, " "), number)
	for n := len(words) - 1; n > 0 && number == "" && len(found) == 0; n-- {
		if code, ok := s.departementNames[trimArticle(strings.Join(words[n:], " "))]; ok {
			found, begin = s.communesCalled(strings.Join(words[:n], " "), code)
		}
	}
	return found, begin
}

// communesCalled gives the communes of a folded name, else those whose names begin so, that have a code which
// begins with a number, or this postcode; any where it is empty.
func (s *Snapshot) communesCalled(name, number string) (found []int32, begin bool) {
	called, borne := s.communeNames[name]
	if !borne {
		called = s.communesBeginning(trimArticle(name))
	}
	for _, at := range called {
		if number == "" || strings.HasPrefix(s.places[at].CodeInsee, number) ||
			slices.Contains(s.postcodes[number], at) {
			found = append(found, at)
		}
	}
	return found, !borne
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
			return !strings.HasPrefix(own, departement)
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
	if name = FoldName(name); name == "" {
		if _, ok := s.Place(code); ok {
			return []string{code}
		}
		for _, at := range s.postcodes[code] {
			codes = append(codes, s.places[at].CodeInsee)
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
	for _, f := range slices.Concat(s.arrondissementNames[name], s.arrondissementNames[name+"e"]) {
		add(f.code, f.now)
	}
	slices.Sort(codes)
	return codes
}

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

// Commune returns a current commune.
func (s *Snapshot) Commune(code string, inc Include) (reply.Reply, error) {
	if i, ok := s.byCode.Find(code); ok {
		return s.composeCommune(i, inc), nil
	}
	return reply.Reply{}, s.communeNotFound(code)
}

// CommuneAt returns the commune that covers a point; on a border, the one with the lowest code.
func (s *Snapshot) CommuneAt(lat, lon float64, inc Include) (reply.Reply, error) {
	p := geom.Snap(lon, lat)
	i, ok := s.communeAt(p)
	if !ok {
		return reply.Reply{}, s.communeNotFoundAt(p)
	}
	return s.composeCommune(i, inc), nil
}

// PlaceAt returns the place of the commune that covers a point. Its error is that of CommuneAt.
func (s *Snapshot) PlaceAt(lat, lon float64) (Place, error) {
	p := geom.Snap(lon, lat)
	i, ok := s.communeAt(p)
	if !ok {
		return Place{}, s.communeNotFoundAt(p)
	}
	return s.places[i], nil
}

// Arrondissements lists the codes of the arrondissements of a commune, in order: there are some in Paris,
// Lyon and Marseille.
func (s *Snapshot) Arrondissements(commune string) (codes []string) {
	i, ok := s.byCode.Find(commune)
	for _, a := range s.arrondissements {
		if ok && a.commune == i {
			codes = append(codes, a.code)
		}
	}
	return codes
}

// ArrondissementAt returns the code of the arrondissement that covers a point, on a border the lowest one;
// false: no outline of an arrondissement covers it.
func (s *Snapshot) ArrondissementAt(lat, lon float64) (code string, ok bool) {
	p := geom.Snap(lon, lat)
	for _, a := range s.arrondissements {
		if a.shape.Covers(p) {
			return a.code, true
		}
	}
	return "", false
}

func (s *Snapshot) composeCommune(i int32, inc Include) reply.Reply {
	return s.communes[i].composeReply(composition{Include: inc, level: stats.Commune,
		code: s.places[i].CodeInsee, outlines: s.outlines, nth: i})
}

// communeAt returns the index of the commune; indices are in the order of the codes.
func (s *Snapshot) communeAt(p geom.Point) (index int32, ok bool) {
	for i := range s.tree.At(p) {
		if (!ok || i < index) && s.communes[i].shape.Covers(p) {
			index, ok = i, true
		}
	}
	return index, ok
}
