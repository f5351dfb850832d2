package build

import (
	"cmp"
	"errors"
	"slices"

	"arpent/api/geocode/layout"
)

// putStreets sorts the streets so that those of a commune, and in it those of an arrondissement or former
// commune, lie together, and writes down where.
func (b *builder) putStreets() error {
	slices.SortFunc(b.streets, func(x, y layout.Street) int {
		px, py := &b.places[x.Place], &b.places[y.Place]
		return cmp.Or(cmp.Compare(px.Departement, py.Departement), cmp.Compare(px.Parent, py.Parent),
			cmp.Compare(x.Place, y.Place), cmp.Compare(x.Name, y.Name), cmp.Compare(x.Postcode, y.Postcode))
	})
	for i := range b.streets {
		at := uint32(i)
		s := b.streets[i].Place
		for _, in := range []uint32{s, b.places[s].Parent, b.places[s].Departement} {
			p := &b.places[in]
			if p.Streets.To == 0 {
				p.Streets.From = at
			}
			p.Streets.To = at + 1
		}
	}
	return layout.Put(b.w, layout.SecStreet, b.streets)
}

// putNames writes the names of the streets, the terms they are made of, and which names have which terms.
func (b *builder) putNames() error {
	names := make([]string, len(b.nameAt))
	for name, id := range b.names {
		names[id] = name
	}
	b.names = nil
	termOf := map[string]uint32{}
	var list []string
	terms := make([]uint32, 0, 4*len(names)) // numbered as they come, then as sorted
	first := make([]uint32, 0, len(names)+1)
	for _, name := range names {
		first = append(first, uint32(len(terms)))
		for _, w := range layout.Words(name) {
			id, ok := termOf[w]
			if !ok {
				id = uint32(len(list))
				termOf[w] = id
				list = append(list, w)
			}
			terms = append(terms, id)
		}
	}
	first = append(first, uint32(len(terms)))
	sorted := slices.Sorted(slices.Values(list))
	renumber := make([]uint32, len(list))
	weights := make([]float32, len(sorted))
	for i, w := range sorted {
		renumber[termOf[w]] = uint32(i)
		weights[i] = layout.Weight(w)
	}
	for i, t := range terms {
		terms[i] = renumber[t]
	}
	if err := layout.NewLexicon(sorted).Put(b.w, layout.Terms); err != nil {
		return err
	}
	if err := errors.Join(b.putPostings(terms, first, weights),
		layout.Put(b.w, layout.SecTermWeight, weights)); err != nil {
		return err
	}
	return errors.Join(layout.Put(b.w, layout.SecNameText, append(b.nameAt, uint32(len(b.text)))),
		layout.Put(b.w, layout.SecNameTerm, first),
		layout.Put(b.w, layout.SecNameTerms, markInformative(terms, weights)), b.putNameStreets(len(names)))
}

// markInformative returns the terms with InformativeBit set on the informative ones.
func markInformative(terms []uint32, weights []float32) []uint32 {
	out := slices.Clone(terms)
	for i, t := range terms {
		if weights[t] >= layout.InformativeWeight {
			out[i] |= layout.InformativeBit
		}
	}
	return out
}

// putPostings writes, for each term, the names that have it. Words that distinguish no streets
// are left out: nothing is looked up by them.
func (b *builder) putPostings(terms, first []uint32, weights []float32) error {
	at := make([]uint32, len(weights)+1)
	for _, t := range terms {
		if weights[t] >= layout.LookupWeight {
			at[t+1]++
		}
	}
	for i := range weights {
		at[i+1] += at[i]
	}
	all := make([]uint32, at[len(weights)])
	next := slices.Clone(at)
	for name := range len(first) - 1 {
		for _, t := range terms[first[name]:first[name+1]] {
			if weights[t] >= layout.LookupWeight {
				all[next[t]] = uint32(name)
				next[t]++
			}
		}
	}
	return errors.Join(layout.Put(b.w, layout.SecTermPosting, at), layout.Put(b.w, layout.SecPosting, all))
}

func (b *builder) putNameStreets(names int) error {
	at := make([]uint32, names+1)
	for _, s := range b.streets {
		at[s.Name+1]++
	}
	for i := range names {
		at[i+1] += at[i]
	}
	all := make([]uint32, len(b.streets))
	next := slices.Clone(at)
	for i, s := range b.streets {
		all[next[s.Name]] = uint32(i)
		next[s.Name]++
	}
	importance := func(street uint32) float32 { return b.places[b.places[b.streets[street].Place].Parent].Importance }
	for name := range names {
		slices.SortStableFunc(all[at[name]:at[name+1]], func(x, y uint32) int {
			return cmp.Compare(importance(y), importance(x))
		})
	}
	return errors.Join(layout.Put(b.w, layout.SecNameStreet, at), layout.Put(b.w, layout.SecNameStreets, all))
}
