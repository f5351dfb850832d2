// Package stats makes the statistics of communes, départements and régions. Figures are read from
// the tables that the loader fills, put together into blocks, one for each key of the contract,
// and written to a file that is read in place.
package stats

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// Level is a kind of territory.
type Level string

// The levels. Zones are zones d'emploi.
const (
	Commune        Level = "commune"
	Arrondissement Level = "arrondissement"
	Departement    Level = "departement"
	Region         Level = "region"
	Nation         Level = "nation"
	Zone           Level = "zone"
)

// Load is the origin of the data of one load.
type Load struct {
	Part     string // as rows of the tables name it
	Source   string
	Scope    string // code of the place that it is of; '' is all of France
	Producer string
	Title    string
	Vintage  string
	Rank     int
	// Provisional: the producer calls its figures provisional.
	Provisional bool
	Rounded     bool   // its counts are rounded, its rates are of the exact ones
	Sums        bool   // its figures of départements are added up from its communes
	number      uint16 // among names.loads
}

// Label names the source in an answer. Semicolons stand between sources, and so not between their producers.
func (l *Load) Label() string {
	if l == nil {
		return ""
	}
	return strings.ReplaceAll(l.Producer, "; ", " et ") + ", " + l.Title
}

// DatedEnvelope names the load of a value, whose year is that of its edition. The load is known.
func (l *Load) DatedEnvelope() Envelope { return l.Envelope(Year(l.Vintage)) }

// LoadsOf lists the loads of a source.
func (d *Data) LoadsOf(source string) (loads []*Load) {
	for _, l := range d.names.loads[1:] {
		if l.Source == source {
			loads = append(loads, l)
		}
	}
	return loads
}

// FindLoad returns which of the loads of a source speaks for the territory, of several that of the smallest
// place; nil: none does.
func (t *Territory) FindLoad(loads []*Load) (found *Load) {
	for _, l := range loads {
		if t.isInScope(l.Scope) && (found == nil || len(l.Scope) > len(found.Scope)) {
			found = l
		}
	}
	return found
}

// Figure is a value of a measure in a period.
type Figure struct {
	Period string
	Value  *float64 // nil: status says why
	Status string   // ok, secret, unavailable, merged, split, partial
	From   *Load    // nil for what was added up from several
	newest *Load    // of what was added up: that of the newest vintage
	// Coverage is the share of the inhabitants that live where a figure is known,
	// for what was added up or averaged; else
	// 0.
	Coverage float64
}

// Year is the year of the period, the last one if it spans several; 0 if it has none.
func (f Figure) Year() int { return YearOf(f.Period) }

// YearOf reads 2021, 2013-2018 and 2025-T4.
func YearOf(period string) int {
	year, run := 0, 0
	for i := 0; i <= len(period); i++ {
		if i < len(period) && period[i] >= '0' && period[i] <= '9' {
			run = run*10 + int(period[i]-'0')
			continue
		}
		if run >= 1000 && run < 3000 {
			year = run
		}
		run = 0
	}
	return year
}

// Fact is an attribute of a territory that is not a figure.
type Fact struct {
	Kind, Period string
	Attrs        []byte // a JSON object
	From         *Load
}

// Territory is a place with its figures.
type Territory struct {
	Level    Level
	Code     string
	Lat, Lon *float64     // a point inside, of communes
	Parent   *Territory   // the city of an arrondissement, the département of a commune, the région of that
	Children []*Territory // the other way round, by code

	names   *figureNames
	figures []figure                   // by measure, then period
	shares  map[figureKey]coverageInfo // of those that were added up or averaged
	facts   []Fact                     // by kind, then period
	slots   []slot                     // of topics
}

// Facts gives the facts of a kind, oldest first.
func (t *Territory) Facts(kind string) []Fact {
	from, _ := slices.BinarySearchFunc(t.facts, kind,
		func(f Fact, k string) int { return cmp.Compare(f.Kind, k) })
	to := from
	for to < len(t.facts) && t.facts[to].Kind == kind {
		to++
	}
	return t.facts[from:to]
}

// Data is everything that blocks are made from, as it was in the database at one moment.
type Data struct {
	Communes        []*Territory
	Arrondissements []*Territory // of Paris, Lyon and Marseille
	Departements    []*Territory // all 101
	Regions         []*Territory
	Nation          *Territory
	ByCode          map[Level]map[string]*Territory
	Loads           map[string]*Load // by part
	names           *figureNames
	rankings        rankings
	// territoryChanges are the days on which communes, by code, last merged with others or were divided.
	territoryChanges map[string]string
	catalogue        *Catalogue
	inputsByLevel    func() map[Level][]blockInputs // computed once
	slots            []slot
}

// Find gives the territory of a code; nil when there is none.
func (d *Data) Find(level Level, code string) *Territory { return d.ByCode[level][code] }

// Arrondissements lists those of Paris, Lyon or Marseille; nil for any other territory.
func (t *Territory) Arrondissements() []*Territory {
	if t.Level != Commune {
		return nil
	}
	return t.Children
}

// IsLocal reports whether the territory is a commune, or an arrondissement of one: it has the keys of
// communes.
func (t *Territory) IsLocal() bool { return t.Level == Commune || t.Level == Arrondissement }

// territoriesOf of the levels that have statistics of their own.
func (d *Data) territoriesOf(level Level) []*Territory {
	switch level {
	case Commune:
		return d.Communes
	case Arrondissement:
		return d.Arrondissements
	case Departement:
		return d.Departements
	case Region:
		return d.Regions
	default:
		return nil
	}
}

// Newest gives the newest fact of a kind, of several sources that of
// the greatest rank; nil when there is none.
func (t *Territory) Newest(kind string) *Fact {
	all := t.Facts(kind)
	if len(all) == 0 {
		return nil
	}
	return &all[len(all)-1]
}

// Read fills v from the attributes of the fact. false: they cannot be read.
func (f *Fact) Read(v any) bool { return f != nil && json.Unmarshal(f.Attrs, v) == nil }

// Envelope names the source of the fact, and the year of its period.
func (f *Fact) Envelope() Envelope { return f.From.Envelope(Year(f.Period)) }
