package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"arpent/api/ingest/fetch"
	"arpent/api/ingest/official"
	"arpent/app/command"
)

// fetchOptions are the flags of arpent fetch.
type fetchOptions struct {
	departements []string
	commune      string
	all          bool
	dryRun       bool
	check        bool
	to           string
	out          output
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
			if err := o.complete(words); err != nil {
				return err
			}
			return o.run(cmd, e, official.Request{Sources: words, Departements: o.departements, Commune: o.commune})
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
	o.out.add(c)
	return c
}

// complete rejects a request that does not say what it wants: the whole country is never fetched by accident.
func (o fetchOptions) complete(words []string) error {
	if len(words) == 0 && !o.all && !o.check && len(o.departements) == 0 && o.commune == "" {
		return errors.New("say what to fetch: core, sources or groups, --departement, --commune, or --all for the whole country")
	}
	if o.out.json && !o.dryRun && !o.check {
		return errors.New("--json goes with --dry-run or --check: what is fetched is reported in lines")
	}
	return nil
}

func (o fetchOptions) run(cmd *cobra.Command, e *env, r official.Request) error {
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
		return o.out.print(cmd, describePlan(plan), func(w io.Writer) { printPlan(w, plan) })
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

// runCheck prints what was found at each address. It returns an error where something is not as it is declared.
func (o fetchOptions) runCheck(cmd *cobra.Command, client *fetch.Client, c official.Catalogue, r official.Request) error {
	found, err := c.Check(cmd.Context(), client, r)
	if err != nil {
		return err
	}
	wrong := 0
	err = o.out.print(cmd, found, func(w io.Writer) {
		fmt.Fprintln(w, "SOURCE\tSTATE\tSIZE\tEDITION\tMODIFIED\tADDRESS\tPROBLEM")
		for _, f := range found {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", f.Source, f.State, mebibytes(f.Bytes), f.Edition, f.Modified, f.Address, f.Problem)
		}
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
