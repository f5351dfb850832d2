// Package official plans what is fetched from the producers of open data, and checks that
// they still serve what the sources declare.
package official

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/source"
)

// Request says what to fetch.
type Request struct {
	// names or groups of sources, or Core; empty: all under an open licence
	Sources      []string `json:"sources,omitempty"`
	Departements []string `json:"departements,omitempty"` // for these alone, where the producer has such files
	Commune      string   `json:"commune,omitempty"`      // for this one alone, likewise
}

// Core is the word for what everything else stands on.
const Core = "core"

// Plan lists the files to fetch.
type Plan struct {
	Items   []fetch.Item
	Missing []Missing // by source
}

// Missing is what cannot be fetched.
type Missing struct {
	Source string `json:"source"`
	// code of a commune, département or intercommunality; empty: all of France
	Place string `json:"place,omitempty"`
	Why   string `json:"why"`
	// the producer has nothing for the place, or is not known, which is no fault
	None     bool   `json:"none,omitempty"`
	Silent   bool   `json:"silent,omitempty"`   // the producer did not answer, and may do so another time
	Homepage string `json:"homepage,omitempty"` // where to look
}

// Catalogue is what a plan is made from.
type Catalogue struct {
	Sources  []source.Source
	Communes func(departement string) ([]string, error) // current communes, for what is published by commune
	// Groupings returns the SIREN of the intercommunalities of a commune, of a département, or of all of
	// France.
	Groupings func(fetch.Place) ([]string, error)

	everyExtent bool // origins are asked whatever their extent
}

// resolveAtOnce is how many catalogues are asked at the same time; the client bounds them by host.
const resolveAtOnce = 8

// Plan asks the producers for the files of all requests. What one of them does not have is listed as missing.
// It returns an error for a word that names no source, a code that names no département, and when ctx ends.
func (c Catalogue) Plan(ctx context.Context, client *fetch.Client, requests ...Request) (Plan, error) {
	var asked questions
	for _, r := range requests {
		if err := c.addRequest(&asked, r); err != nil {
			return Plan{}, fmt.Errorf("plan %s: %w", r, err)
		}
	}
	p := planBuilder{itemIndex: map[string]int{}}
	work, inner := errgroup.WithContext(ctx)
	work.SetLimit(resolveAtOnce)
	for _, q := range asked.list {
		work.Go(func() error {
			remotes, err := fetch.Resolve(inner, client, q.origin, q.place)
			p.addAnswer(q, remotes, err)
			return inner.Err()
		})
	}
	if err := work.Wait(); err != nil {
		return Plan{}, err
	}
	slices.SortFunc(p.plan.Items, func(a, b fetch.Item) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(p.plan.Missing, func(a, b Missing) int {
		return cmp.Or(strings.Compare(a.Source, b.Source), strings.Compare(a.Place, b.Place))
	})
	return p.plan, nil
}

// question is one origin asked for one place, for all the sources that read its files.
type question struct {
	origin  fetch.Origin
	place   fetch.Place
	sources []source.Source
}

// questions are what is to be asked, each once.
type questions struct {
	list  []*question
	known map[string]*question
}

// addRequest adds the questions of a request.
func (c Catalogue) addRequest(q *questions, r Request) error {
	words := slices.Clone(r.Sources)
	if i := slices.Index(words, Core); i >= 0 {
		words = slices.Replace(words, i, i+1, "cog", "contours", "postcodes")
	}
	selected, err := source.Select(c.Sources, words)
	if err != nil {
		return err
	}
	var places []fetch.Place // that the request names, else all of France
	for _, d := range r.Departements {
		d = strings.ToUpper(strings.TrimSpace(d))
		if !slices.Contains(fetch.Departements, d) {
			return fmt.Errorf("there is no département %q; expected a code such as 93, 2A or 971", d)
		}
		places = append(places, fetch.Place{Departement: d})
	}
	if r.Commune != "" {
		places = []fetch.Place{{Departement: fetch.DepartementOf(r.Commune), Commune: r.Commune}}
	}
	if len(places) == 0 {
		places = []fetch.Place{{}}
	}
	for _, s := range selected {
		for _, p := range places {
			if err := c.addQuestions(q, s, p, slices.Contains(words, s.Name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// addQuestions adds the questions for the files of a source. Those that have the
// same as another one are only asked by name.
func (c Catalogue) addQuestions(q *questions, s source.Source, p fetch.Place, byName bool) error {
	if !s.IsFetched() {
		q.add(s, fetch.Origin{As: s.Name}, fetch.Place{})
		return nil
	}
	asked := slices.DeleteFunc(slices.Clone(s.Origins), func(o fetch.Origin) bool {
		return !byName && !c.everyExtent && !o.Extent.Includes(p)
	})
	for _, o := range fetch.Chosen(asked, p) {
		if o.OnDemand && !byName {
			continue
		}
		at, err := c.placesOf(o, p)
		if err != nil {
			return err
		}
		for _, place := range at {
			q.add(s, o, place)
		}
	}
	return nil
}

func (q *questions) add(s source.Source, o fetch.Origin, p fetch.Place) {
	key := fmt.Sprintf("%#v %s %v", o.From, o.As, p)
	one := q.known[key]
	if one == nil {
		one = &question{origin: o, place: p}
		if q.known == nil {
			q.known = map[string]*question{}
		}
		q.known[key] = one
		q.list = append(q.list, one)
	}
	if !slices.ContainsFunc(one.sources, func(in source.Source) bool { return in.Name == s.Name }) {
		one.sources = append(one.sources, s)
	}
}

// placesOf are the places within p that an origin is asked for, one at a time.
func (c Catalogue) placesOf(o fetch.Origin, p fetch.Place) ([]fetch.Place, error) {
	switch {
	case o.Area == fetch.France:
		return []fetch.Place{{}}, nil
	case o.Area == fetch.Departement && p.Departement != "":
		return []fetch.Place{{Departement: p.Departement}}, nil
	case o.Area == fetch.Commune && p.Commune != "":
		return []fetch.Place{p}, nil
	case o.Area == fetch.Grouping:
		groupings, err := c.Groupings(p)
		var out []fetch.Place
		for _, siren := range groupings {
			out = append(out, fetch.Place{Grouping: siren})
		}
		return out, err
	}
	departements := []string{p.Departement}
	if p.Departement == "" {
		departements = fetch.Departements
	}
	var out []fetch.Place
	for _, d := range departements {
		if o.Area == fetch.Departement {
			out = append(out, fetch.Place{Departement: d})
			continue
		}
		communes, err := c.Communes(d)
		if err != nil {
			return nil, err
		}
		for _, commune := range communes {
			out = append(out, fetch.Place{Departement: d, Commune: commune})
		}
	}
	return out, nil
}

// planBuilder gathers the answers.
type planBuilder struct {
	mu        sync.Mutex
	plan      Plan
	itemIndex map[string]int // path of an item to its place in the plan
}

func (p *planBuilder) addAnswer(q *question, remotes []fetch.Remote, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		for _, s := range q.sources {
			m := newMissing(s, q.place, err)
			m.None, m.Silent = errors.Is(err, fetch.ErrNothing) || errors.Is(err, fetch.ErrNoAddress),
				fetch.IsTemporary(err)
			p.plan.Missing = append(p.plan.Missing, m)
		}
		return
	}
	for _, r := range remotes {
		i := fetch.Item{Origin: q.origin, Place: q.place, Remote: r, Path: q.origin.Path(r, q.place),
			Licence: q.sources[0].Licence.Name, Homepage: q.sources[0].Homepage}
		at, known := p.itemIndex[i.Path]
		if !known {
			at = len(p.plan.Items)
			p.itemIndex[i.Path] = at
			p.plan.Items = append(p.plan.Items, i)
		}
		in := &p.plan.Items[at]
		for _, s := range q.sources {
			if !slices.Contains(in.Sources, s.Name) {
				in.Sources = append(in.Sources, s.Name)
			}
			if !known {
				in.MinRows = max(in.MinRows, minLines(s, q.place))
			}
		}
	}
}

// minLines is how many rows a file of all of France must have for its load to have as many as its source
// declares; 0: not known, because a row of the file may become several, or several files are one load.
func minLines(s source.Source, p fetch.Place) int64 {
	r := s.Read
	if p != (fetch.Place{}) || r.Format != source.CSV || r.Unpivot != nil || r.Repeat != nil || r.Member != "" ||
		s.Rows != "" ||
		slices.ContainsFunc(s.Files, func(f source.Files) bool { return f.GroupByScope }) {
		return 0
	}
	return s.Checks.MinRows
}

func newMissing(s source.Source, p fetch.Place, err error) Missing {
	m := Missing{Source: s.Name, Place: cmp.Or(p.Commune, p.Departement, p.Grouping), Homepage: s.Homepage,
		Why: err.Error()}
	if errors.Is(err, fetch.ErrNoAddress) && len(s.Origins) > 0 {
		m.Why = cmp.Or(s.Origins[0].Note, m.Why)
	}
	return m
}

// WithoutAddress lists the sources whose files can only be given by hand, with what was looked for.
func WithoutAddress(all []source.Source) []Missing {
	out := []Missing{}
	for _, s := range all {
		if !s.IsFetched() {
			out = append(out, newMissing(s, fetch.Place{}, fetch.ErrNoAddress))
		}
	}
	return out
}
