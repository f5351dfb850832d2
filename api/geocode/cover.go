package geocode

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"arpent/api/geocode/layout"
)

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
