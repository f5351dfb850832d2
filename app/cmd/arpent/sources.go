package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/ingest/official"
	"arpent/internal/opendata/topic"
	"arpent/internal/pgdb"
)

func newSourcesCommand(e *env) *cobra.Command {
	var everything, missing bool
	c := &cobra.Command{
		Use: "sources", Short: "List the sources, what is loaded of them, and their licences", Args: cobra.NoArgs,
		Long: `List the sources that are loaded or that have files: their state, where they are known, their licence, and why
the newest edition is not served. One that was asked for and never came is listed too.

With --all those without a file are listed too, with the form of the files that can be given. The JSON array always
holds all of them. With --missing those are listed that arpent fetch knows no address of, with what was looked for.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if missing {
				return printList(cmd, official.WithoutAddress(topic.Sources()), "SOURCE\tWHY\tWHERE TO LOOK",
					func(m official.Missing) []any { return []any{m.Source, m.Why, m.Homepage} })
			}
			return e.withDB(cmd.Context(), pgdb.Load, func(pool *pgxpool.Pool) error {
				all, err := e.newLoader(pool).Sources(cmd.Context())
				if err != nil {
					return err
				}
				return printResult(cmd, all, func(w io.Writer) { printSources(w, all, everything) })
			})
		},
	}
	c.Flags().BoolVar(&everything, "all", false, "list those without a file too")
	c.Flags().BoolVar(&missing, "missing", false, "list those that cannot be fetched")
	c.MarkFlagsMutuallyExclusive("all", "missing")
	addJSONFlag(c)
	return c
}

func printSources(w io.Writer, all []ingest.SourceStatus, everything bool) {
	listed := all
	if !everything {
		listed = slices.DeleteFunc(slices.Clone(all), func(s ingest.SourceStatus) bool {
			return s.State == ingest.NoFile && s.Problem == ""
		})
	}
	fmt.Fprintln(w, "SOURCE\tSTATE\tVINTAGE\tROWS\tREFUSED\tLEFT OUT\tLOADED\tCOVERS\tLICENCE\tPRODUCER\tPROBLEM\tNOTE")
	for _, s := range listed {
		loaded, vintage := "", ""
		if s.LoadedAt != nil {
			loaded = s.LoadedAt.Format("2006-01-02 15:04")
		}
		if s.Vintage != nil {
			vintage = *s.Vintage
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.Name, s.State, vintage,
			strconv.FormatInt(s.Rows, 10), strconv.FormatInt(s.Refused, 10), strconv.FormatInt(s.LeftOut, 10),
			loaded, describeCoverage(s.Covers), s.Licence, s.Producer, s.Problem, s.Note)
	}
	if left := len(all) - len(listed); left > 0 {
		fmt.Fprintf(w, "\n%d more have no file: arpent sources --all lists them.\n", left)
	}
}

// describeCoverage says in a word or two where a source's layers are known.
func describeCoverage(c *ingest.Covered) string {
	switch {
	case c == nil:
		return ""
	case c.France:
		return "France"
	case c.Areas == 1:
		return "1 area"
	default:
		return strconv.Itoa(c.Areas) + " areas"
	}
}
