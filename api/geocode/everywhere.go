package geocode

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"arpent/api/geocode/layout"
)

// searchCountry looks for names of streets all over the country, then for the best streets that have them.
func (s *search) searchCountry() {
	type named struct {
		name uint32
		m    match
	}
	var names []named
	none := candidate{place: noPlace}
	most, reach := float32(0), s.q.total
	for _, i := range s.lookupWords() {
		if s.namesLeft <= 0 || most >= reach {
			break // names without the words before cannot explain more
		}
		s.namesWith(i, func(name uint32) {
			if m, ok := s.matchName(name, s.q.allWords()&^s.q.postcodes); ok && s.canRank(&none, m) {
				names = append(names, named{name, m})
				most = max(most, m.explained)
			}
		})
		reach -= s.q.words[i].weight
	}
	slices.SortFunc(names, func(a, b named) int {
		return cmp.Or(cmp.Compare(b.m.explained*(1+b.m.cover), a.m.explained*(1+a.m.cover)),
			cmp.Compare(a.name, b.name))
	})
	for _, n := range names[:min(len(names), bestNames)] {
		if !s.canRank(&none, n.m) {
			continue
		}
		if !s.addStreetsNamed(n.name, &none, n.m) {
			return
		}
	}
}

// addStreetsNamed takes the streets of a name as answers, those of the most important communes
// first, as far as the budget goes. Where only that importance distinguishes them, those after
// one that is not good enough are not looked at.
func (s *search) addStreetsNamed(name uint32, none *candidate, m match) bool {
	alike := s.ask.Near == nil && s.q.postcodes == 0 && len(s.t.departements) == 0
	most := s.maxScore(none, m) * nameOnlyTrust
	for _, i := range s.x.nameStreets.listAt(name) {
		if s.streetsLeft <= 0 {
			return false
		}
		s.streetsLeft--
		if alike && s.worst >= 0 {
			in := &s.x.places[s.x.places[s.x.streets[i].Place].Parent]
			if s.combineScore(most, in, layout.NoPosition, layout.NoPosition) <= s.best[s.worst].score {
				break
			}
		}
		s.addStreet(i, none, m)
	}
	return true
}

// lookupWords are the words of the query that streets can be looked up by, the rarest first.
func (s *search) lookupWords() []int {
	count := make([]int, len(s.q.words))
	var out []int
	for i := range s.hits {
		count[s.hits[i].word]++
	}
	sizes := make([]int, len(s.q.words))
	for term, first := range s.hitOf {
		for i := first; i >= 0; i = s.hits[i].next {
			if s.hits[i].trust >= readingTrust {
				sizes[s.hits[i].word] += len(s.x.termNames.listAt(term))
			}
		}
	}
	for i := range s.q.words {
		if count[i] > 0 && s.q.words[i].weight >= layout.LookupWeight && !s.q.postcodes.has(i) {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(sizes[a], sizes[b]) })
	return out
}

// namesWith calls each with the names that have a word of the query, surest
// spelling first, as far as the budget goes.
func (s *search) namesWith(word int, each func(name uint32)) {
	type spelling struct {
		term  uint32
		trust float32
	}
	var terms []spelling
	for term, first := range s.hitOf {
		for i := first; i >= 0; i = s.hits[i].next {
			if int(s.hits[i].word) == word {
				terms = append(terms, spelling{term, s.hits[i].trust})
			}
		}
	}
	slices.SortFunc(terms, func(a, b spelling) int {
		return cmp.Or(cmp.Compare(b.trust, a.trust), cmp.Compare(a.term, b.term))
	})
	for _, t := range terms {
		for _, name := range s.x.termNames.listAt(t.term) {
			if s.namesLeft <= 0 {
				return
			}
			if s.seen[name/64]&(1<<(name%64)) != 0 {
				continue
			}
			s.seen[name/64] |= 1 << (name % 64)
			s.seenNames = append(s.seenNames, name)
			s.namesLeft--
			each(name)
		}
	}
}

// streetCover says of which communes streets are loaded.
type streetCover struct {
	isNational      bool
	loaded, present int      // communes with streets, and all
	names           []string // of the first, the largest first, maxNamed at most
}

// bareShare is the share of inhabitants, one in so many, who live in communes without streets, from which on
// the streets of the country are not all loaded: less than the smallest département has. The address files
// themselves lack a few communes without inhabitants.
const bareShare = 1000

// measureStreetCover finds out of which communes streets are loaded.
func (x *Index) measureStreetCover() (cover streetCover) {
	var loaded []*layout.Place
	inhabitants, bare := 0, 0
	for i := range x.places {
		p := &x.places[i]
		if p.Kind != layout.Commune {
			continue
		}
		cover.present++
		inhabitants += int(p.Population)
		if p.Streets.Length() > 0 {
			loaded = append(loaded, p)
		} else {
			bare += int(p.Population)
		}
	}
	cover.loaded = len(loaded)
	cover.isNational = cover.loaded == cover.present || bare*bareShare < inhabitants
	slices.SortStableFunc(loaded, func(a, b *layout.Place) int {
		return cmp.Compare(b.Population, a.Population)
	})
	for _, p := range loaded[:min(len(loaded), maxNamed)] {
		cover.names = append(cover.names, strings.Clone(x.textOf(p.Name)))
	}
	return cover
}

// sayPartial says that a street without a town may be one of another town than those that are loaded.
func (c *streetCover) sayPartial() string {
	names := ""
	if c.loaded <= maxNamed {
		names = " (" + strings.Join(c.names, ", ") + ")"
	}
	return fmt.Sprintf("No town is named, and of %d communes this server has the streets of %d%s: other "+
		"towns may have "+
		"a street of this name. Add the commune or its postcode.", c.present, c.loaded, names)
}

// lacksTown reports whether an answer is a street that the query asks for without its commune, former commune
// or postcode, while the streets of other communes are not loaded.
func (s *search) lacksTown(a *answer) bool {
	if s.x.streetCover.isNational || a.street == noPlace || a.candidate.place != noPlace {
		return false
	}
	postcode := s.x.streets[a.street].Postcode
	return !slices.ContainsFunc(s.q.words, func(w word) bool {
		return postcode != 0 && layout.PostcodeNumber(w.Text) == postcode
	})
}
