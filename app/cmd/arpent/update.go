package main

import (
	"fmt"
	"io"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"arpent/app"
	"arpent/app/command"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/official"
	"arpent/internal/opendata/ingest/update"
	"arpent/internal/pgdb"
)

func newUpdateCommand(e *env) *cobra.Command {
	var dryRun, noIndex bool
	c := &cobra.Command{
		Use: app.UpdateCommand, Short: "Bring up to date what was fetched: ask the producers, fetch, load, rebuild",
		Args: cobra.NoArgs,
		Long: `Ask the producers for everything that arpent fetch was ever asked for, fetch what has changed, load it, and build the index of
addresses and the statistics anew. A source that cannot be had, is refused, or has got worse (over 5 % fewer rows, or no value
of something that had some) keeps its data; it is listed at the end, and the exit status is 1. The operator is notified once by
mail (ARPENT_CONTACT_EMAIL). Files that newer ones took the place of are deleted once these are loaded.

To be run by cron, or by the service itself every day: ARPENT_UPDATE=03:30. Only one runs at a time. An update that is
interrupted goes on where it was the next time. What was asked for is in downloads/requests.jsonl of ARPENT_STATE_DIR, a line
each; take out what is no longer wanted.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dryRun {
				return planUpdate(cmd, e)
			}
			return e.withDB(cmd.Context(), pgdb.Load, func(pool *pgxpool.Pool) error {
				report, err := command.Update(cmd.Context(), e.config, pool)
				if err != nil {
					return err
				}
				if !noIndex {
					if err := indexSnapshots(cmd.Context(), e.config, pool, cmd.ErrOrStderr(), addresses,
						statistics); err != nil {
						return err
					}
				}
				return printUpdate(cmd, report)
			})
		},
	}
	c.Flags().BoolVar(&dryRun, "dry-run", false, "list what would be asked for, and nothing else")
	c.Flags().BoolVar(&noIndex, "no-index", false,
		"leave the index of addresses and the statistics to the service")
	addJSONFlag(c)
	return c
}

func planUpdate(cmd *cobra.Command, e *env) error {
	requests, err := official.Remembered(command.Downloads(e.config))
	if err != nil {
		return err
	}
	if len(requests) == 0 {
		return update.ErrNoRequests
	}
	client, err := command.FetchClient(e.config, "")
	if err != nil {
		return err
	}
	plan, err := command.Plan(cmd.Context(), e.config, client, requests...)
	if err != nil {
		return err
	}
	return printResult(cmd, describePlan(plan), func(w io.Writer) {
		for _, r := range requests {
			fmt.Fprintln(w, r)
		}
		fmt.Fprintln(w)
		printPlan(w, plan)
	})
}

// printUpdate says what became of an update. It returns an error where a source was not brought up to date.
func printUpdate(cmd *cobra.Command, r update.Report) error {
	err := printResult(cmd, summarizeUpdate(r), func(w io.Writer) {
		if len(r.Problems) > 0 {
			fmt.Fprintln(w, "\nNot brought up to date:\nSOURCE\tSERVED\tWHY")
			for _, p := range r.Problems {
				served := "nothing"
				if p.Served {
					served = "its former data"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\n", p.Source, served, p.Why)
			}
		}
		s := summarizeUpdate(r)
		fmt.Fprintf(w, "\n%d files asked for: %d fetched (%s received), %d unchanged; %s; %d replaced files deleted\n", s.Files, s.Fetched,
			formatMiB(s.Bytes), s.Unchanged, ingest.Summary(r.Loads), len(r.Removed))
	})
	if err == nil && len(r.Problems) > 0 {
		err = fmt.Errorf("%d sources were not brought up to date", len(r.Problems))
	}
	return err
}

// updateSummary is the JSON of an update.
type updateSummary struct {
	Files     int              `json:"files"`
	Fetched   int              `json:"fetched"`
	Unchanged int              `json:"unchanged"`
	Failed    int              `json:"failed"`
	Bytes     int64            `json:"bytes"`
	Requests  int              `json:"requests"`
	Loaded    []string         `json:"loaded"`
	Removed   []string         `json:"removed"`
	Problems  []update.Problem `json:"problems"`
}

func summarizeUpdate(r update.Report) updateSummary {
	s := updateSummary{Files: len(r.Fetched.Results), Loaded: []string{}, Removed: append([]string{},
		r.Removed...), Problems: append([]update.Problem{}, r.Problems...)}
	for _, f := range r.Fetched.Results {
		s.Bytes += f.Bytes
		s.Requests += f.Requests
		switch f.State {
		case fetch.Fetched:
			s.Fetched++
		case fetch.Unchanged:
			s.Unchanged++
		default:
			s.Failed++
		}
	}
	for _, o := range r.Loads {
		if o.State == ingest.Loaded {
			s.Loaded = append(s.Loaded, o.String())
		}
	}
	return s
}
