package territory

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"arpent/api/reply"
)

// CommunesOf lists the communes of a département, overseas ones included: all of them, or those with a name
// in theirs, whatever its accents, capitals, hyphens and apostrophes and with st for saint, else those that
// have it but for one typing error.
func (s *Snapshot) CommunesOf(departement, name string) (reply.Reply, error) {
	d := s.findDepartement(departement)
	switch {
	case d == nil:
		return reply.Reply{}, departementNotFound(departement)
	case name == "":
		return noteList(d.list, s.pointToArrondissements(departement))
	}
	note := s.describeArrondissements(departement, name) + " " + s.describeFormerCommunes(departement, name)
	return filterByName(d.list, name, strings.TrimSpace(note))
}

// describeFormerCommunes says in which communes of a département those of the past are that have a name in
// theirs; empty: there are none, or so many that the name does not say which is meant.
func (s *Snapshot) describeFormerCommunes(departement, name string) string {
	want := FoldName(name)
	full := expandAbbreviations(want)
	var meant []string
	for i, p := range s.places {
		if p.CodeDep != departement {
			continue
		}
		for _, f := range gjson.GetBytes(s.communes[i].plain.Body, "formerCommunes").Array() {
			folded := FoldName(f.Get("name").Str)
			if folded != FoldName(p.CommuneName) &&
				(strings.Contains(folded, want) || strings.Contains(folded, full)) {
				meant = append(meant, fmt.Sprintf("%s (%s) is part of %s since %s", f.Get("name").Str, f.Get("code").Str,
					namedArea{p.CodeInsee, p.CommuneName}, f.Get("date").Str))
			}
		}
	}
	if meant == nil || len(meant) > maxNamed {
		return ""
	}
	return "Former communes are not in this list: " + strings.Join(meant, ", ") + "."
}

// describeArrondissements names the arrondissements of Paris, Lyon or Marseille that a name may mean in the
// list of the communes of their département, which has the city alone; empty: it means none.
func (s *Snapshot) describeArrondissements(departement, name string) string {
	written, want := s.arrondissementWritten(name), FoldName(name)
	if written == "" && !strings.ContainsAny(want, "0123456789") && (len(want) < minBeginning || !strings.HasPrefix("arrondissements", want)) {
		return ""
	}
	var meant []string
	for _, a := range s.arrondissements {
		folded := FoldName(a.name)
		if s.places[a.commune].CodeDep == departement && (a.code == written || written == "" &&
			strings.Contains(folded+"s", want)) {
			meant = append(meant, namedArea{a.code, a.name}.String())
		}
	}
	if meant == nil {
		return ""
	}
	return "Arrondissements are not in this list: " + JoinNames(meant) +
		". Their codes are taken by /communes/{code} (tool get_commune), and by codes of /communes (tool " +
		"list_communes) several at once."
}

// pointToArrondissements says that the arrondissements of a city are not in the list of the communes of its
// département; empty: it has no such city. Their codes follow one another.
func (s *Snapshot) pointToArrondissements(departement string) string {
	var of []town
	for _, a := range s.arrondissements {
		if s.places[a.commune].CodeDep == departement {
			of = append(of, a)
		}
	}
	if of == nil {
		return ""
	}
	return fmt.Sprintf("Arrondissements are not in this list: those of %s are %s to %s, each answered by its code: /communes/{code} (tool get_commune).",
		s.places[of[0].commune].CommuneName, of[0].code, of[len(of)-1].code)
}

// noteList returns a list with a note; without one as it is.
func noteList(list reply.Reply, note string) (reply.Reply, error) {
	if note == "" {
		return list, nil
	}
	var all CodeNameList
	if err := json.Unmarshal(list.Body, &all); err != nil {
		return reply.Reply{}, fmt.Errorf("read a list: %w", err)
	}
	all.Note = note
	body, err := json.Marshal(all)
	return reply.New(body), err
}

// findDepartement returns a département, overseas ones included; nil: none has the code.
func (s *Snapshot) findDepartement(code string) *area {
	if d, ok := s.departements[code]; ok {
		return d
	}
	return s.overseas[code]
}

// MaxUnranked is how many territories without a figure a list names that are not among its items.
const MaxUnranked = 10

// Ranking orders communes by a figure.
type Ranking interface {
	Codes(ascending bool) iter.Seq[string] // of those that have the figure
	IsTied(code, other string) bool        // both of which have it
}

// FirstCommunes lists the first communes of a région, or of France where it is empty, n at most, of those
// that isWanted by their codes: those that by has, in its order, then the others by code. Total is how many
// there are, TiedWithLast those left out that have the figure of the last, WithoutFigure how many by does not
// have, and WithoutFigureIn where these lie.
func (s *Snapshot) FirstCommunes(region string, isWanted func(code string) bool, by Ranking, ascending bool, n int) (
	CodeNameList, error,
) {
	if _, ok := s.regions[region]; !ok && region != "" {
		return CodeNameList{}, s.regionNotFound(region)
	}
	list := CodeNameList{Data: []CodeName{}}
	add := func(p Place) {
		if len(list.Data) < n {
			list.Data = append(list.Data, CodeName{Name: p.CommuneName, CodeInsee: p.CodeInsee})
		}
	}
	isIn := func(p Place) bool {
		return (region == "" || s.findDepartement(p.CodeDep).region == region) && isWanted(p.CodeInsee)
	}
	hasFigure, isTied := make([]bool, len(s.places)), true
	for code := range by.Codes(ascending) {
		at, ok := s.byCode.Find(code)
		if !ok || !isIn(s.places[at]) {
			continue
		}
		hasFigure[at] = true
		if isTied = isTied && (len(list.Data) < n || by.IsTied(list.Data[n-1].CodeInsee, code)); isTied && len(list.Data) == n {
			list.TiedWithLast = list.TiedWithLast.Add(CodeName{Name: s.places[at].CommuneName, CodeInsee: code})
		}
		add(s.places[at])
	}
	total, without, lacking, having := 0, 0, map[string]int{}, map[string]bool{}
	for at, p := range s.places {
		if !isIn(p) {
			continue
		}
		if total++; !hasFigure[at] {
			without++
			lacking[p.CodeDep]++
			if len(list.Data) == n && len(list.Unranked) < MaxUnranked {
				list.Unranked = append(list.Unranked, CodeName{Name: p.CommuneName, CodeInsee: p.CodeInsee})
			}
			add(p)
		} else {
			having[p.CodeDep] = true
		}
	}
	list.Count, list.Total = len(list.Data), &total
	if without > 0 {
		list.WithoutFigure = &without
	}
	of := 0
	var names []string // of the départements some of whose communes have it
	for _, d := range s.departementNames {
		if count := lacking[d.code]; count > 0 {
			list.WithoutFigureIn = append(list.WithoutFigureIn, DepartementCount{Code: d.code, Name: d.name, Count: count})
		}
		if having[d.code] {
			names = append(names, d.String())
		}
		if having[d.code] || lacking[d.code] > 0 {
			of++
		}
	}
	if slices.Sort(names); len(names) > 0 && 2*len(names) < of {
		list.Note = fmt.Sprintf("Only communes of %d of the %d départements have this figure: %s. The order is of these alone.",
			len(names), of, JoinNames(names))
	}
	slices.SortFunc(list.WithoutFigureIn, func(a, b DepartementCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Code, b.Code))
	})
	return list, nil
}

// Add returns the ties with one more; of nil, with it alone.
func (t *Ties) Add(c CodeName) *Ties {
	if t == nil {
		t = &Ties{}
	}
	if t.Count++; t.Count <= MaxTies {
		t.Data = append(t.Data, c)
	}
	return t
}

// Overseas lists the overseas départements by code, of one région or, where it is empty, of all.
func (s *Snapshot) Overseas(region string) (list []CodeName) {
	for _, d := range s.departementNames {
		if of := s.overseas[d.code]; of != nil && (region == "" || of.region == region) {
			list = append(list, CodeName{Code: d.code, Name: d.name})
		}
	}
	slices.SortFunc(list, func(a, b CodeName) int { return cmp.Compare(a.Code, b.Code) })
	return list
}

// filterByName leaves of a list what has a name in its own, else what has it but for one typing error, and
// adds a note to it.
func filterByName(list reply.Reply, name, note string) (reply.Reply, error) {
	var all CodeNameList
	if err := json.Unmarshal(list.Body, &all); err != nil {
		return reply.Reply{}, fmt.Errorf("read a list: %w", err)
	}
	want := FoldName(name)
	full := expandAbbreviations(want)
	found := CodeNameList{Data: []CodeName{}, Note: note}
	for _, c := range all.Data {
		if folded := FoldName(c.Name); strings.Contains(folded, want) || strings.Contains(folded, full) {
			found.Data = append(found.Data, c)
		}
	}
	if len(found.Data) == 0 {
		for _, c := range all.Data {
			if hasMisspelt(FoldName(c.Name), full) {
				found.Data = append(found.Data, c)
			}
		}
		found.Fuzzy = len(found.Data) > 0
	}
	if found.Count = len(found.Data); found.Count == 0 && note == "" {
		found.Note = "No commune of this département has the name, or has it but for one typing error. " +
			"/adresses?q= (tool search_address) finds communes of all départements, and former ones."
	}
	body, err := json.Marshal(found)
	if err != nil {
		return reply.Reply{}, fmt.Errorf("encode a list: %w", err)
	}
	return reply.New(body), nil
}

// minMisspelt is how long a name is in which a typing error is looked for: shorter ones resemble too many.
const minMisspelt = 4

// hasMisspelt reports whether as many words of a name as another one has are equal to it but for one
// typing error. Both are as FoldName has them.
func hasMisspelt(name, other string) bool {
	words, n := strings.Fields(name), len(strings.Fields(other))
	if len(other) < minMisspelt {
		return false
	}
	for i := 0; i+n <= len(words); i++ {
		if isMisspelt(strings.Join(words[i:i+n], " "), other) {
			return true
		}
	}
	return isMisspelt(strings.Join(words, ""), strings.ReplaceAll(other, " ", ""))
}

// isMisspelt reports whether one letter more, less, other, or exchanged with its neighbour makes one text of
// another.
func isMisspelt(a, b string) bool {
	x, y := []rune(a), []rune(b)
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	return max(len(x), len(y)) <= 1 || len(x) == 2 && len(y) == 2 && x[0] == y[1] && x[1] == y[0]
}
