package official

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/format"
	"arpent/internal/opendata/source"
)

// Finding is what a check found at one address of a source.
type Finding struct {
	Source   string `json:"source"`
	State    Verity `json:"state"`
	Address  string `json:"address,omitempty"`
	Name     string `json:"name,omitempty"` // that the file would be saved by
	Bytes    int64  `json:"bytes,omitempty"`
	Modified string `json:"modified,omitempty"`
	Edition  string `json:"edition,omitempty"`
	Problem  string `json:"problem,omitempty"`
	Homepage string `json:"homepage,omitempty"`
}

// Verity is whether a producer serves what a source declares.
type Verity string

// The states of a finding.
const (
	AsDeclared  Verity = "ok"
	Differs     Verity = "differs"     // it answers, with another name, content or header line
	Unreachable Verity = "unreachable" // it does not answer, or has no such file
	NoAddress   Verity = "no address"
	// it has no file for the place that was asked for, and may have some for others
	NotHere Verity = "not here"
)

// Sample is the commune whose files are asked for where a source is published by commune or by département.
const Sample = "93010"

// sampleGrouping is the intercommunality of the Sample that has its plan.
const sampleGrouping = "200057875"

var errNoFile = errors.New("not found")

// headBytes is how much of a file is read: the header line of the widest table is some 20 kB.
const headBytes = 64 << 10

// Check asks each address for its first bytes. It returns an error for a
// word that names no source, and when ctx ends.
func (c Catalogue) Check(ctx context.Context, client *fetch.Client, r Request) ([]Finding, error) {
	anywhere := r.Commune == "" && len(r.Departements) == 0
	if anywhere {
		c.everyExtent = true
		c.Communes = func(string) ([]string, error) { return []string{Sample}, nil }
		c.Groupings = func(fetch.Place) ([]string, error) { return []string{sampleGrouping}, nil }
		r.Departements = []string{fetch.DepartementOf(Sample)}
	}
	var asked questions
	if err := c.addRequest(&asked, r); err != nil {
		return nil, err
	}
	found := make([][]Finding, len(asked.list))
	work, inner := errgroup.WithContext(ctx)
	work.SetLimit(resolveAtOnce)
	for i, q := range asked.list {
		work.Go(func() error {
			found[i] = checkQuestion(inner, client, q)
			if anywhere && q.origin.Area == fetch.Departement {
				found[i] = checkOtherDepartements(inner, client, *q, found[i])
			}
			return inner.Err()
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	all := slices.Concat(found...)
	slices.SortStableFunc(all, func(a, b Finding) int { return strings.Compare(a.Source, b.Source) })
	return all, nil
}

// otherSamples are départements that have what is not published for all of them: plans
// of prevention, cavities, floods, mountains.
var otherSamples = []string{"33", "38", "69", "06"}

// checkOtherDepartements looks for a file that one département has
// not in others, before it is taken for gone.
func checkOtherDepartements(ctx context.Context, client *fetch.Client, q question,
	found []Finding) []Finding {
	for _, d := range otherSamples {
		if !slices.ContainsFunc(found, func(f Finding) bool { return f.State == NotHere }) {
			break
		}
		q.place = fetch.Place{Departement: d}
		if other := checkQuestion(ctx, client, &q); !slices.ContainsFunc(other,
			func(f Finding) bool { return f.State == NotHere }) {
			return other
		}
	}
	for i := range found {
		if found[i].State == NotHere { // nowhere
			found[i].State = Unreachable
		}
	}
	return found
}

// checkQuestion asks one origin, and compares what it serves with each source that reads it.
func checkQuestion(ctx context.Context, client *fetch.Client, q *question) (out []Finding) {
	remotes, err := fetch.Resolve(ctx, client, q.origin, q.place)
	if err != nil || len(remotes) == 0 {
		for _, s := range q.sources {
			f := Finding{Source: s.Name, State: Unreachable, Homepage: s.Homepage,
				Problem: fmt.Sprint(cmp.Or(err, errors.New("no file is listed")))}
			if errors.Is(err, fetch.ErrNoAddress) {
				f.State, f.Problem = NoAddress, newMissing(s, q.place, err).Why
			} else {
				f.Address = q.origin.From.String()
			}
			if errors.Is(err, fetch.ErrNothing) {
				f.State = NotHere
			}
			out = append(out, f)
		}
		return out
	}
	r := remotes[0]
	p, err := client.Probe(ctx, r.Address, headBytes)
	if err == nil && !p.Found {
		err = fmt.Errorf("%s: %w", r.Address, errNoFile)
	}
	for _, s := range q.sources {
		f := Finding{Source: s.Name, State: AsDeclared, Address: r.Address, Name: q.origin.Name(r, q.place),
			Edition: r.Edition, Homepage: s.Homepage,
			Bytes: cmp.Or(r.Bytes, p.Bytes), Modified: p.LastModified}
		if err != nil {
			f.State, f.Problem = Unreachable, err.Error()
			if !p.Found && errors.Is(err, errNoFile) && q.place != (fetch.Place{}) {
				f.State = NotHere
			}
		} else if f.Problem = describeDifference(s, f.Name, p.First); f.Problem != "" {
			f.State = Differs
		}
		out = append(out, f)
	}
	return out
}

// describeDifference says in what a file is not as a source declares it, from its name and its first bytes.
func describeDifference(s source.Source, name string, head []byte) string {
	if !slices.ContainsFunc(s.Files, func(f source.Files) bool {
		return regexp.MustCompile(f.Path).MatchString(name)
	}) {
		return "no declaration reads a file of this name"
	}
	if err := fetch.Recognize(head, name); err != nil {
		return err.Error()
	}
	if lacks := format.MissingColumns(s, head); len(lacks) > 0 {
		return "its header line lacks " + strings.Join(lacks, ", ")
	}
	return ""
}
