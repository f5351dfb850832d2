package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"arpent/api/ingest"
	"arpent/app/base/pgdb"
	"arpent/app/command"
	"arpent/app/dev/demo"
)

func newDemoCommand(e *env) *cobra.Command {
	o := demo.Options{}
	c := &cobra.Command{
		Use: "demo", Short: "Make a demonstration: synthetic outlines and parcels for a service without data files", Args: cobra.NoArgs,
		Long: `Make a demonstration territory: synthetic outlines for every commune, département and région, and synthetic parcels in
some communes, under their real names and codes. Every page says so. The same number and seed
make the same demonstration. Loading real data replaces it; a database that holds real data is refused.

With --report every layer of the parcel report is filled too, at the density of the whole country: some minutes, and
some ten gigabytes. Without it they are emptied; the first load of real data empties them too, which takes minutes.`,
		Example: "  arpent-dev demo\n  arpent-dev demo --parcels 1000000 --seed 7\n  arpent-dev demo --parcels 1000000 --report",
		RunE: func(cmd *cobra.Command, _ []string) error {
			pool, _, release, err := command.OpenDB(cmd.Context(), e.config, pgdb.Load)
			if err != nil {
				return err
			}
			defer release()
			o.LoadCOG, o.Progress = loadCOG(command.Loader(e.config, pool)), demoProgress(os.Stderr)
			r, err := demo.Make(cmd.Context(), pool, o)
			if err != nil {
				return command.Explain(err)
			}
			printDemo(cmd.OutOrStdout(), r)
			return nil
		},
	}
	c.Flags().IntVar(&o.Parcels, "parcels", demo.DefaultParcels, "how many parcels to make")
	c.Flags().BoolVar(&o.Report, "report", false, "fill every layer of the parcel report too")
	c.Flags().Uint64Var(&o.Seed, "seed", 1, "another seed makes another country")
	return c
}

// loadCOG loads the names and codes that a demonstration is made from.
func loadCOG(loader *ingest.Loader) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := loader.Load(ctx, ingest.Request{Sources: []string{"cog"}})
		return err
	}
}

func printDemo(w io.Writer, r demo.Result) {
	verb := "made"
	if !r.Made {
		verb = "there already"
	}
	fmt.Fprintf(w, "demonstration %s: %d communes, %d parcels in %d of them", verb, r.Communes, r.Parcels, r.Villages)
	if r.Made && r.Parcels > 0 {
		fmt.Fprintf(w, "; %.1f s, %d bytes a parcel with indexes", r.Took.Seconds(), r.Bytes/int64(r.Parcels))
	}
	if r.Layers > 0 {
		fmt.Fprintf(w, "; %d layers of the report with %d rows", r.Layers, r.Rows)
	}
	fmt.Fprintln(w)
}

// demoProgress draws a bar on a terminal; elsewhere it writes a line a step, and one every few seconds within.
func demoProgress(w *os.File) func(demo.Step) {
	var mu sync.Mutex
	var bar *progressbar.ProgressBar
	var last demo.Step
	var at time.Time
	terminal := isatty.IsTerminal(w.Fd())
	return func(s demo.Step) {
		mu.Lock()
		defer mu.Unlock()
		next := s.Doing != last.Doing
		switch {
		case terminal && s.Total > 0 && next:
			bar = progressbar.NewOptions(s.Total, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(s.Doing),
				progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond))
		case terminal && s.Total > 0:
			_ = bar.Set(s.Done) // a bar that cannot be drawn stops nothing
		case next:
			fmt.Fprintln(w, "demonstration:", s.Doing)
		case time.Since(at) > 5*time.Second:
			fmt.Fprintf(w, "demonstration: %s %d of %d\n", s.Doing, s.Done, s.Total)
		default:
			return
		}
		last, at = s, time.Now()
	}
}
