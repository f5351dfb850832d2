package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"arpent/app/command"
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/official"
)

// fetchOptions are the flags of arpent fetch.
type fetchOptions struct {
	departements []string
	commune      string
	all          bool
	dryRun       bool
	check        bool
	to           string
}

func newFetchCommand(e *env) *cobra.Command {
	var o fetchOptions
	c := &cobra.Command{
		Use: "fetch [core|group|source...]", Short: "Fetch the files of the sources from their producers",
		Long: `Fetch official files to the downloads of ARPENT_STATE_DIR, where arpent load finds them: of a département or commune what is
published for it, else the file of the whole country; with --all everything of the whole country. What is there already is
asked for again and only received if it has changed. An interrupted run goes on where it was.

core is what everything else stands on: names, codes, outlines and postcodes.`,
		Example: `  arpent fetch core
  arpent fetch --departement 93
  arpent fetch parcels addresses --departement 93,94
  arpent fetch --all --dry-run
  arpent fetch --check`,
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := o.checkComplete(words, wantsJSON(cmd)); err != nil {
				return err
			}
			return o.runFetch(cmd, e, official.Request{Sources: words, Departements: o.departements,
				Commune: o.commune})
		},
	}
	f := c.Flags()
	f.StringSliceVar(&o.departements, "departement", nil, "of these départements (93,2A,971)")
	f.StringVar(&o.commune, "commune", "", "of this commune (five characters)")
	f.BoolVar(&o.all, "all", false, "of the whole country")
	f.BoolVar(&o.dryRun, "dry-run", false, "list what would be fetched by source: how many files, how large, from which hosts; with --json each file")
	f.BoolVar(&o.check, "check", false, "only check that the producers still serve what the sources declare")
	f.StringVar(&o.to, "to", "", "keep a copy of all answers in this folder; any web server over it is a mirror (ARPENT_MIRROR)")
	c.MarkFlagsMutuallyExclusive("departement", "commune", "all")
	c.MarkFlagsMutuallyExclusive("dry-run", "check", "to")
	addJSONFlag(c)
	return c
}

// checkComplete rejects a request that does not say what it wants: the
// whole country is never fetched by accident.
func (o fetchOptions) checkComplete(words []string, asJSON bool) error {
	if len(words) == 0 && !o.all && !o.check && len(o.departements) == 0 && o.commune == "" {
		return errors.New("say what to fetch: core, sources or groups, --departement, --commune, or --all for the whole country")
	}
	if asJSON && !o.dryRun && !o.check {
		return errors.New("--json goes with --dry-run or --check: what is fetched is reported in lines")
	}
	return nil
}

func (o fetchOptions) runFetch(cmd *cobra.Command, e *env, r official.Request) error {
	client, err := command.FetchClient(e.config, o.to)
	if err != nil {
		return err
	}
	if o.check {
		return o.runCheck(cmd, client, command.Official(e.config), r)
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "asking the producers for their files…")
	plan, err := command.Plan(cmd.Context(), e.config, client, r)
	if err != nil {
		return err
	}
	dir := command.Downloads(e.config)
	if o.dryRun {
		return printResult(cmd, describePlan(plan), func(w io.Writer) { printPlan(w, plan) })
	}
	if err := official.Remember(dir, r); err != nil {
		return err
	}
	report, err := fetch.Run(cmd.Context(), client, dir, plan.Items, command.FetchProgress())
	if err != nil {
		return err
	}
	if err := printFetched(cmd, dir, plan, report); err != nil {
		return err
	}
	return cmd.Context().Err()
}

// runCheck prints what was found at each address. It returns an error
// where something is not as it is declared.
func (o fetchOptions) runCheck(cmd *cobra.Command, client *fetch.Client, c official.Catalogue,
	r official.Request) error {
	found, err := c.Check(cmd.Context(), client, r)
	if err != nil {
		return err
	}
	wrong := 0
	const columns = "SOURCE\tSTATE\tSIZE\tEDITION\tMODIFIED\tADDRESS\tPROBLEM"
	err = printList(cmd, found, columns, func(f official.Finding) []any {
		return []any{f.Source, f.State, formatMiB(f.Bytes), f.Edition, f.Modified, f.Address, f.Problem}
	})
	for _, f := range found {
		if f.State == official.Differs || f.State == official.Unreachable {
			wrong++
		}
	}
	if err == nil && wrong > 0 {
		err = fmt.Errorf("%d of %d are not as declared", wrong, len(found))
	}
	return err
}

// sourcePlan is what would be fetched for a source.
type sourcePlan struct {
	Source       string   `json:"source"`
	Files        int      `json:"files"`
	Bytes        int64    `json:"bytes"`         // of the files whose size is known
	UnknownSizes int      `json:"unknown_sizes"` // files
	Hosts        []string `json:"hosts"`
	Editions     []string `json:"editions"`
	Licence      string   `json:"licence"`
}

// plannedFile is one file of the JSON of a plan.
type plannedFile struct {
	Path    string   `json:"path"`
	Sources []string `json:"sources"`
	Address string   `json:"address"`
	Edition string   `json:"edition,omitempty"`
	Bytes   int64    `json:"bytes"` // 0: not known
}

// planDocument is the JSON of a plan.
type planDocument struct {
	Sources []sourcePlan       `json:"sources"`
	Files   []plannedFile      `json:"files"`
	Missing []official.Missing `json:"missing"`
}

func describePlan(p official.Plan) planDocument {
	out := planDocument{Sources: []sourcePlan{}, Files: []plannedFile{}, Missing: append([]official.Missing{},
		p.Missing...)}
	by := map[string]*sourcePlan{}
	for _, i := range p.Items {
		bytes := cmp.Or(i.Remote.Bytes, i.Origin.Bytes)
		out.Files = append(out.Files, plannedFile{i.Path, i.Sources, i.Remote.Address, i.Remote.Edition, bytes})
		for _, name := range i.Sources {
			s := by[name]
			if s == nil {
				s = &sourcePlan{Source: name, Hosts: []string{}, Editions: []string{}, Licence: i.Licence}
				by[name] = s
			}
			s.Files++
			if s.Bytes += bytes; bytes == 0 {
				s.UnknownSizes++
			}
			if u, err := url.Parse(i.Remote.Address); err == nil {
				s.Hosts = withText(s.Hosts, u.Host)
			}
			s.Editions = withText(s.Editions, i.Remote.Edition)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		out.Sources = append(out.Sources, *by[name])
	}
	return out
}

func withText(all []string, text string) []string {
	if text == "" || slices.Contains(all, text) {
		return all
	}
	return append(all, text)
}

// printPlan lists what a plan has for each source, then the totals and what cannot be had.
func printPlan(w io.Writer, p official.Plan) {
	fmt.Fprintln(w, "SOURCE\tFILES\tSIZE\tEDITION\tHOSTS\tLICENCE")
	d := describePlan(p)
	for _, s := range d.Sources {
		size := formatMiB(s.Bytes)
		if s.UnknownSizes > 0 && s.Bytes > 0 {
			size += fmt.Sprintf(" and %d of unknown size", s.UnknownSizes)
		}
		edition := ""
		if len(s.Editions) > 0 {
			edition = slices.Max(s.Editions)
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\n", s.Source, s.Files, size, edition, strings.Join(s.Hosts, ", "),
			s.Licence)
	}
	var known int64
	unknown := 0
	for _, f := range d.Files {
		if known += f.Bytes; f.Bytes == 0 {
			unknown++
		}
	}
	fmt.Fprintf(w, "\n%d files, of which the sizes of %d are not known; the others are %.1f MiB: %.1f hours at 100 Mbit/s\n",
		len(d.Files), unknown, float64(known)/(1<<20), float64(known)*8/100e6/3600)
	printMissing(w, p.Missing)
}

// printMissing lists what cannot be had, in a line for each source: of the places or files that failed, and
// where none failed, of the places that its producer has nothing for.
func printMissing(w io.Writer, all []official.Missing) {
	type line struct {
		first official.Missing
		count int
	}
	lines := map[string]*line{}
	for _, m := range all {
		l := lines[m.Source]
		if l == nil || l.first.None && !m.None {
			l = &line{first: m}
			lines[m.Source] = l
		}
		if l.first.None == m.None {
			l.count++
		}
	}
	if len(lines) == 0 {
		return
	}
	fmt.Fprintln(w, "\nNot to be had; files that were fetched before are kept:\nSOURCE\tPLACES\tWHY\tWHERE TO LOOK")
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		l := lines[name]
		places := l.first.Place
		switch {
		case l.count > 1 && places == "":
			places = fmt.Sprintf("%d files", l.count)
		case l.count > 1:
			places = fmt.Sprintf("%d, of which %s", l.count, places)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", name, places, l.first.Why, l.first.Homepage)
	}
}

// formatMiB writes a size; 0 is not known.
func formatMiB(bytes int64) string {
	if bytes == 0 {
		return "?"
	}
	return strconv.FormatFloat(float64(bytes)/(1<<20), 'f', 1, 64) + " MiB"
}

// printFetched says what became of the files, and at the end what could not be had. It returns an error where
// there was some. A place that the producer has no file for is no error.
func printFetched(cmd *cobra.Command, dir string, p official.Plan, r fetch.Report) error {
	count, none, received := map[fetch.State]int{}, 0, int64(0)
	for _, f := range r.Results {
		received += f.Bytes
		if errors.Is(f.Err, fetch.ErrNothing) {
			none++
			continue
		}
		count[f.State]++
	}
	err := printResult(cmd, nil, func(w io.Writer) {
		printMissing(w, slices.Concat(p.Missing, missingFiles(r)))
		title := "\nTaken, and to be looked at:\n"
		for _, f := range r.Results {
			if f.Warning != "" {
				fmt.Fprintln(w, title+f.Warning)
				title = ""
			}
		}
		fmt.Fprintf(w, "\n%d fetched (%s received), %d unchanged, %d not published for the place, %d failed; in %s\n",
			count[fetch.Fetched], formatMiB(received), count[fetch.Unchanged], none, count[fetch.Failed], dir)
	})
	unasked := slices.ContainsFunc(p.Missing, func(m official.Missing) bool { return !m.None })
	if n := count[fetch.Failed]; err == nil && (n > 0 || unasked) {
		err = fmt.Errorf("%d of %d files could not be fetched: the sources listed above lack files, "+
			"and the same command asks for them again", n, len(r.Results))
	}
	return err
}

// missingFiles lists the files of a run that failed, for each source that reads them. Their errors say where
// to look.
func missingFiles(r fetch.Report) (out []official.Missing) {
	for _, f := range r.Results {
		if f.Err == nil {
			continue
		}
		place := f.Item.Place
		for _, s := range f.Item.Sources {
			out = append(out, official.Missing{Source: s, Place: cmp.Or(place.Commune, place.Departement, place.Grouping),
				Why: f.Err.Error(), None: errors.Is(f.Err, fetch.ErrNothing)})
		}
	}
	return out
}
