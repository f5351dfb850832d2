package territory

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"arpent/internal/opendata/stats"
)

// FormerCommune is a commune that became part of another one.
type FormerCommune struct {
	Code string  `json:"code" doc:"Its code of INSEE at that time." example:"74011"`
	Name string  `json:"name" doc:"Its name at that time." example:"Annecy-le-Vieux"`
	Date string  `json:"date" doc:"Day on which it became part of another commune." example:"2017-01-01"`
	Kind string  `json:"kind" enum:"merger,newCommune,association,division" doc:"merger: fusion simple. newCommune: creation of a commune nouvelle. association: fusion-association. division: it was dissolved, its territory divided among others." example:"newCommune"`
	Into *string `json:"into" doc:"Code of the commune that it became part of, where that is not the code of this one: it has changed since, or that commune became part of this one later. Else null." example:"74010"`
}

// FormerCommunesOf returns the communes that became part of a commune, as its answer has them, and the year
// of the last; null: the movements of communes are not loaded. year is 0 where there are none.
func (s *Snapshot) FormerCommunesOf(code string) (list gjson.Result, year int) {
	at, ok := s.byCode.Find(code)
	if !ok {
		return list, 0
	}
	list = gjson.GetBytes(s.communes[at].plain.Body, "formerCommunes")
	return list, stats.YearOf(list.Get("0.date").Str) // the newest is the first
}

// MergerYears orders the communes by the year in which the last one became part of each.
func (s *Snapshot) MergerYears() *stats.Column {
	codes, years := make([]string, len(s.places)), make([]float64, len(s.places))
	for i, p := range s.places {
		codes[i], years[i] = p.CodeInsee, math.NaN()
		if _, year := s.FormerCommunesOf(p.CodeInsee); year > 0 {
			years[i] = float64(year)
		}
	}
	return stats.NewColumn(codes, years)
}

// The kinds of movements of INSEE that change which commune a place is in, or its code.
const (
	renaming = 10

	creation, restoration                     = 20, 21
	division, merger, newCommune, association = 30, 31, 32, 33
	otherDepartement, otherSeat               = 41, 50 // the commune is the same, its code is another
)

// formerKinds are the kinds of movements by which a commune becomes part of another one.
var formerKinds = map[int]string{division: "division", merger: "merger", newCommune: "newCommune",
	association: "association"}

// maxMoves ends the way of a commune whose code is exchanged with another one's on one day: none has changed
// so often.
const maxMoves = 20

// movementRow is a movement of a commune.
type movementRow struct {
	kind                              int
	day, before, name, after, newName string
}

// listFormerCommunes lists by code of a commune of today the communes that became part of it and were not
// restored since, the newest first: also those that became part of one that did. Among them are those whose
// code the new commune took, where it is a commune nouvelle or has another name; not where all that it was
// merged with are restored. Movements are in the order of their days.
func (b *builder) listFormerCommunes() map[string][]FormerCommune {
	restored := map[string]string{}    // the last day, by code
	next := map[string][]movementRow{} // by code: to another code
	for _, m := range b.movements {
		if m.kind == creation || m.kind == restoration {
			restored[m.after] = m.day
		}
	}
	isVoid := func(m movementRow) bool { return formerKinds[m.kind] != "" && restored[m.before] > m.day }
	joined := map[[2]string]bool{} // by code and day: another commune became part of it, and still is
	for _, m := range b.movements {
		if m.before != m.after && m.kind > division && !isVoid(m) {
			next[m.before] = append(next[m.before], m)
			joined[[2]string{m.after, m.day}] = joined[[2]string{m.after, m.day}] || m.kind <= association
		}
	}
	partOf := map[string]string{} // by code of a commune déléguée or associée: the commune that it is in today
	for _, f := range b.former {
		if f.name != "" && f.kind != arrondissement {
			partOf[f.code] = f.now
		}
	}
	type key struct{ today, code, name string }
	found := map[key]movementRow{}
	isNew := map[string]bool{} // by code: it is a commune nouvelle already, one that grows
	for _, m := range b.movements {
		if formerKinds[m.kind] == "" || isVoid(m) {
			continue
		}
		k := key{m.after, m.before, FoldName(m.name)}
		if m.before == m.after {
			ends := k.name != FoldName(m.newName) || m.kind == newCommune && !isNew[m.after]
			if m.kind == division || !joined[[2]string{m.after, m.day}] || !ends {
				continue
			}
			isNew[m.after] = isNew[m.after] || m.kind == newCommune
		}
		day := m.day
		for range maxMoves {
			moves := next[k.today]
			i := slices.IndexFunc(moves, func(m movementRow) bool { return m.day >= day })
			if i < 0 {
				break
			}
			k.today, day = moves[i].after, moves[i].day
		}
		if today, ok := partOf[m.before]; ok { // as a part of a commune that was divided it may be in another one
			k.today = today
		}
		if kept, ok := found[k]; !ok || m.before != m.after && kept.before == kept.after {
			found[k] = m
		}
	}
	lists := map[string][]FormerCommune{}
	for k, m := range found {
		one := FormerCommune{Code: m.before, Name: m.name, Date: m.day, Kind: formerKinds[m.kind]}
		if m.after != k.today {
			one.Into = &m.after
		}
		lists[k.today] = append(lists[k.today], one)
	}
	for _, list := range lists {
		slices.SortFunc(list, func(a, b FormerCommune) int {
			return cmp.Or(strings.Compare(b.Date, a.Date), strings.Compare(a.Code, b.Code))
		})
	}
	return lists
}
