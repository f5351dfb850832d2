package stats

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"arpent/internal/opendata/source"
	"arpent/internal/opendata/state"
)

// The sentences of states.
const (
	notListed       = "The loaded files do not list this place."
	formerTerritory = "The producer has not published it for the territory of today."
	beforeChange    = "It is of a year before %s, when the commune merged with others or was divided. Counts are added " +
		"up over what is the commune today; what cannot be is left out, or is of the commune whose code it kept."
	tooFew        = "It is known for too few of the communes to be added up."
	withheld      = "The producer keeps the figure secret."
	noInhabitants = "The place has no inhabitants."
	emptyList     = "The loaded files have no entry for it here."
	cityOnly      = "It is served for the whole city alone, not for its arrondissements: arrondissementOf names the city."
	listedWithout = "The loaded files list this place without it."
)

// reasons finds out why the keys of a territory have a value or none.
// It serves one territory after the other.
type reasons struct {
	data      *Data
	territory *Territory
	// By the number of a load: what the territory has of it.
	known, listed, secret, changed, partial []bool
}

// blockInputs is what a block of one level can be made from.
type blockInputs struct {
	block         Block
	loads         []*Load       // those that can give a value
	sources       []string      // those of the loads, loaded or not
	missingSource string        // a source that would: one that is not loaded, if there is one
	hasValue      bool          // some territory has a value
	parts         []blockInputs // those of the block, by their order
}

// setTerritory turns to a territory.
func (r *reasons) setTerritory(d *Data, t *Territory) {
	if r.data != d {
		*r = reasons{data: d}
		for _, list := range r.loadFlags() {
			*list = make([]bool, len(d.names.loads))
		}
	}
	r.territory = t
	for _, list := range r.loadFlags() {
		clear(*list)
	}
	for _, f := range t.figures {
		switch status := d.names.statuses.all[f.status]; {
		case f.known:
			r.known[f.from] = true
		case status == StatusSecret:
			r.secret[f.from] = true
		case status == "merged" || status == "split":
			r.changed[f.from] = true
		case status == "partial":
			r.partial[f.from] = true
		case status == "unavailable":
			r.listed[f.from] = true
		}
	}
	for _, f := range t.facts {
		r.known[f.From.number] = true
	}
	for _, of := range d.catalogue.topics {
		if of.EachLoad != nil {
			of.EachLoad(d, t, func(from *Load, _ string) { r.known[from.number] = true })
		}
	}
}

func (r *reasons) loadFlags() []*[]bool {
	return []*[]bool{&r.known, &r.listed, &r.secret, &r.changed, &r.partial}
}

// collectInputs are what the blocks of each level can be made from, in their order.
func (d *Data) collectInputs() map[Level][]blockInputs {
	all := map[Level][]blockInputs{}
	for level, blocks := range d.catalogue.blocks {
		for _, b := range blocks {
			all[level] = append(all[level], d.collectBlockInputs(level, b))
		}
	}
	return all
}

// collectBlockInputs finds the loads of a block, and of its parts.
func (d *Data) collectBlockInputs(level Level, b Block) blockInputs {
	m := d.findLoads(level, b)
	// Parts that are of too little where no territory of the level has them: of arrondissements all with sources
	// of their own, which files may have of the whole city alone.
	var doubtful []int
	for i, of := range b.parts {
		from := of.from
		if from == nil {
			from = b.from
		}
		one := d.findLoads(level, Block{from: from, ofResidents: b.ofResidents})
		isDoubtful := of.from != nil && len(one.loads) > 0 && (one.missingSource != "" || level == Arrondissement)
		if one.hasValue = !isDoubtful; isDoubtful {
			doubtful = append(doubtful, i)
		}
		m.parts = append(m.parts, one)
	}
	if len(m.loads) == 0 {
		return m
	}
	p := newPage()
	for _, t := range d.territoriesOf(level) {
		p.Reset()
		if _, err := p.writeBlock(d, t, b); err != nil || p.String() == "null" {
			continue
		}
		m.hasValue = true
		value := p.String()
		doubtful = slices.DeleteFunc(doubtful, func(i int) bool {
			m.parts[i].hasValue = b.parts[i].isKnown(value)
			return m.parts[i].hasValue
		})
		if len(doubtful) == 0 {
			break
		}
	}
	return m
}

func (d *Data) findLoads(level Level, b Block) blockInputs {
	m := blockInputs{block: b}
	var named string // of a source that is loaded only when it is named
	for _, name := range d.catalogue.sourcesOfKey(level, b) {
		if matchesSourceName(b.supplementSources, name) {
			continue
		}
		m.sources = append(m.sources, name)
		loaded := len(m.loads)
		for _, l := range d.names.loads[1:] {
			if l.Source == name {
				m.loads = append(m.loads, l)
			}
		}
		switch missing := len(m.loads) == loaded; {
		case missing && m.missingSource == "" && d.catalogue.open[name]:
			m.missingSource = name
		case missing && named == "":
			named = name
		}
	}
	m.missingSource = cmp.Or(m.missingSource, named)
	return m
}

// keyState says why the nth key of the level has a value, an empty list, or nothing that is known. A value
// has the vintage of the loads that it is from, as far as they are known.
func (r *reasons) keyState(nth int, unknown, empty bool, from []*Load) state.KeyState {
	of := r.data.inputsByLevel()
	m := of[r.territory.Level][nth]
	here := r.loadsInScope(m.loads)
	// What is loaded of some communes is so where it has none of their arrondissements, too.
	hasValue := m.hasValue || r.territory.Level == Arrondissement && of[Commune][nth].hasValue
	switch {
	case !unknown:
	case len(m.loads) == 0:
		return state.NotLoadedFor(m.missingSource)
	case len(here) > 0 && r.isKnownOfCitiesAlone(nth):
		return state.KeyState{State: state.NotCovered, Reason: cityOnly, Vintage: r.newestVintage(here)}
	case !hasValue && m.missingSource != "":
		return state.Lacking(m.missingSource)
	}
	s := state.KeyState{State: state.Value, Vintage: r.newestVintage(here)}
	if !unknown && !empty {
		if len(from) > 0 {
			s.Vintage, here = newestOf(from), from
		}
		if r.isOlderThanTerritory(here) {
			s.Reason = fmt.Sprintf(beforeChange, r.data.territoryChanges[r.territory.Code])
		}
		return s
	}
	if m.block.needsAll && len(here) > 0 {
		for _, name := range m.sources {
			if !slices.ContainsFunc(here, func(l *Load) bool { return l.Source == name }) {
				return state.Lacking(name)
			}
		}
	}
	if s.State, s.Reason = r.absenceReason(m.block, m.loads, here); empty {
		s.State, s.Reason = state.None, cmp.Or(m.block.complete, emptyList)
	}
	return s
}

// isKnownOfCitiesAlone reports whether the territory is an arrondissement and the nth key has a value for
// communes, and for no arrondissement.
func (r *reasons) isKnownOfCitiesAlone(nth int) bool {
	of := r.data.inputsByLevel()
	return r.territory.Level == Arrondissement && !of[Arrondissement][nth].hasValue && of[Commune][nth].hasValue
}

// isPartKnownOfCitiesAlone reports the same of a part with sources of its own.
func (r *reasons) isPartKnownOfCitiesAlone(nth, part int) bool {
	of := r.data.inputsByLevel()
	return r.territory.Level == Arrondissement && !of[Arrondissement][nth].parts[part].hasValue &&
		of[Commune][nth].parts[part].hasValue
}

// partState says why a part of the nth key's value is null.
func (r *reasons) partState(nth, part int) state.KeyState {
	of := r.data.inputsByLevel()[r.territory.Level][nth]
	block, m := of.block, of.parts[part]
	here := r.loadsInScope(m.loads)
	switch hasOwnSources := block.parts[part].from != nil; {
	case hasOwnSources && len(m.loads) == 0:
		return state.NotLoadedFor(m.missingSource)
	case block.parts[part].notApplicable:
		return state.KeyState{State: state.NotApplicable, Reason: block.parts[part].reason,
			Vintage: r.newestVintage(here)}
	case r.isPartKnownOfCitiesAlone(nth, part) && len(here) > 0:
		return state.KeyState{State: state.NotCovered, Reason: cityOnly, Vintage: r.newestVintage(here)}
	case hasOwnSources && !m.hasValue && m.missingSource != "":
		return state.Lacking(m.missingSource)
	}
	s := state.KeyState{State: state.NotCovered, Vintage: r.newestVintage(here)}
	if s.Reason = block.parts[part].reason; s.Reason != "" {
		if block.parts[part].from != nil && !r.hasAnyLoad(r.changed, here) && r.hasAnyLoad(r.secret, here) {
			s.State, s.Reason = state.Secret, withheld
		}
		return s
	}
	if s.State, s.Reason = r.absenceReason(m.block, m.loads, here); s.Reason == listedWithout {
		s.Reason = cmp.Or(block.parts[part].doubt, listedWithout)
	}
	return s
}

// figureState says why a part of a value is null whose figures were read of the year of the value; where none
// is loaded of that year, why the newest is not known. false: no loaded file has one.
func (r *reasons) figureState(of part, value string) (s state.KeyState, known bool) {
	year := int(gjson.Get(value, of.path[:strings.LastIndexByte(of.path, '.')+1]+"year").Int())
	for _, measure := range of.measures {
		series := r.territory.Series(measure)
		at := slices.IndexFunc(series, func(f Figure) bool { return f.Year() == year })
		if at < 0 {
			at = len(series) - 1
		}
		if at < 0 || series[at].Value != nil {
			continue
		}
		s = state.KeyState{State: state.NotCovered, Reason: listedWithout}
		if from := series[at].From; from != nil {
			s.Vintage = newestOf([]*Load{from})
		}
		switch series[at].Status {
		case StatusSecret:
			s.State, s.Reason = state.Secret, withheld
		case "merged", "split":
			s.Reason = formerTerritory
		case "partial":
			s.Reason = tooFew
		}
		return s, true
	}
	return s, false
}

// loadsInScope are the loads that speak for the territory.
func (r *reasons) loadsInScope(loads []*Load) []*Load {
	return slices.DeleteFunc(slices.Clone(loads), func(l *Load) bool { return !r.territory.isInScope(l.Scope) })
}

// maxScopes is how many places are named that something is loaded for.
const maxScopes = 5

// describeElsewhere says that something is loaded for other places, and names a few.
func describeElsewhere(loads []*Load) string {
	var scopes []string
	for _, l := range loads {
		if !slices.Contains(scopes, l.Scope) {
			scopes = append(scopes, l.Scope)
		}
	}
	if len(scopes) > maxScopes {
		return state.Elsewhere
	}
	slices.Sort(scopes)
	return strings.TrimSuffix(state.Elsewhere, ".") + ": " + strings.Join(scopes, ", ") + "."
}

// absenceReason says why there is nothing, although some of the sources are loaded;
// here are those of the loads that speak for the place.
func (r *reasons) absenceReason(b Block, loads, here []*Load) (state.State, string) {
	switch {
	case b.ofResidents && r.territory.isUninhabited():
		return state.NotApplicable, noInhabitants
	case len(here) == 0:
		return state.NotCovered, describeElsewhere(loads)
	case r.hasAnyLoad(r.changed, here): // other figures than the one published of the former communes may be secret
		return state.NotCovered, formerTerritory
	case r.hasAnyLoad(r.secret, here):
		return state.Secret, withheld
	case r.hasAnyLoad(r.partial, here):
		return state.NotCovered, tooFew
	case b.complete != "" && (b.completeBy == "" ||
		slices.ContainsFunc(here, func(l *Load) bool { return l.Source == b.completeBy })):
		return state.None, b.complete
	case r.hasAnyLoad(r.known, here) || r.hasAnyLoad(r.listed, here):
		return state.NotCovered, listedWithout
	case r.isOlderThanTerritory(here):
		return state.NotCovered, formerTerritory
	default:
		return state.NotCovered, notListed
	}
}

// hasAnyLoad reports whether one of the loads is among those of a list.
func (r *reasons) hasAnyLoad(of []bool, loads []*Load) bool {
	return slices.ContainsFunc(loads, func(l *Load) bool { return of[l.number] })
}

// isOlderThanTerritory reports whether the commune merged with others or was divided after the year of the
// newest of the loads.
func (r *reasons) isOlderThanTerritory(loads []*Load) bool {
	vintage := newestOf(loads)
	day := r.data.territoryChanges[r.territory.Code]
	return r.territory.Level == Commune && vintage != nil && YearOf(*vintage) < YearOf(day)
}

// newestVintage is the newest of the loads that the territory has something of; without any, of all.
func (r *reasons) newestVintage(loads []*Load) *string {
	if !r.hasAnyLoad(r.known, loads) {
		return newestOf(loads)
	}
	return newestOf(slices.DeleteFunc(slices.Clone(loads), func(l *Load) bool { return !r.known[l.number] }))
}

// newestOf is the newest vintage of loads; nil where none has one.
func newestOf(loads []*Load) (newest *string) {
	for _, l := range loads {
		if l.Vintage != "" {
			newest = state.Newest(newest, &l.Vintage)
		}
	}
	return newest
}

// sameTerritoryHas points to the value of a territory at its other level.
var sameTerritoryHas = map[Level]string{
	Departement: "The département of code %s, which is the same territory, has it.",
	Commune:     "The commune of code %s, which is the same territory, has it.",
}

// sameTerritory returns the département whose only commune the territory is, or the only commune of a
// département: Paris is both. nil: it is one level alone.
func (t *Territory) sameTerritory() *Territory {
	switch {
	case t.Level == Commune && t.Parent != nil && len(t.Parent.Children) == 1:
		return t.Parent
	case t.Level == Departement && len(t.Children) == 1:
		return t.Children[0]
	}
	return nil
}

// hasValue reports whether a territory has a value of a key.
func (d *Data) hasValue(t *Territory, key string) bool {
	at := slices.IndexFunc(d.catalogue.blocks[t.Level], func(b Block) bool { return b.key == key })
	if at < 0 {
		return false
	}
	p := newPage()
	made, err := p.writeBlock(d, t, d.catalogue.blocks[t.Level][at])
	return err == nil && !made.unknown && p.String() != "null" && p.String() != "[]"
}

// isUninhabited reports whether the territory is known to have no inhabitants.
func (t *Territory) isUninhabited() bool {
	people := t.Latest(source.PopulationMunicipal).Value
	return people != nil && *people == 0
}

// isInScope reports whether a load of that scope can speak for the territory. A scope that is no place can.
func (t *Territory) isInScope(scope string) bool {
	switch {
	case scope == "" || !isPlace(scope) || scope == t.Code:
		return true
	case t.Level == Commune:
		return t.Parent != nil && t.Parent.Code == scope
	case t.Level == Arrondissement:
		return t.Parent != nil && t.Parent.isInScope(scope)
	case t.Level == Departement:
		return strings.HasPrefix(scope, t.Code)
	default:
		return slices.ContainsFunc(t.Children, func(c *Territory) bool { return c.isInScope(scope) })
	}
}

// isPlace reports whether a scope has the form of the code of a département or commune.
func isPlace(scope string) bool {
	if len(scope) != 2 && len(scope) != 3 && len(scope) != 5 {
		return false
	}
	for i, c := range scope {
		if (c < '0' || c > '9') && (i != 1 || c != 'A' && c != 'B') {
			return false
		}
	}
	return true
}

// renderStates adds the member that follows the statistics.
func (p *page) renderStates(blocks []Block) error {
	p.WriteString(`,"states":`)
	for i, b := range blocks {
		p.writeKey(i, b.key)
		if err := p.writeJSON(p.states[b.key]); err != nil {
			return err
		}
		for _, part := range b.parts {
			one, null := p.states[b.key+"."+part.stateName()]
			if !null {
				continue
			}
			p.writeKey(1, b.key+"."+part.stateName())
			if err := p.writeJSON(one); err != nil {
				return err
			}
		}
	}
	p.WriteByte('}')
	return nil
}
