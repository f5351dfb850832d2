package main

import (
	"fmt"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"arpent/api/ingest"
)

func newSourcesCommand(e *env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "sources", Short: "List the sources, what is loaded of them, and their licences", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			pool, _, release, err := e.openDB(cmd.Context())
			if err != nil {
				return err
			}
			defer release()
			all, err := e.loader(pool).Sources(cmd.Context())
			if err != nil {
				return explain(err)
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), all)
			}
			return printSources(cmd, all)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return c
}

func printSources(cmd *cobra.Command, all []ingest.SourceStatus) error {
	out := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "SOURCE\tSTATE\tVINTAGE\tROWS\tREFUSED\tLOADED\tCOVERS\tLICENCE\tPRODUCER\tNOTE")
	for _, s := range all {
		loaded, vintage := "", ""
		if s.LoadedAt != nil {
			loaded = s.LoadedAt.Format("2006-01-02 15:04")
		}
		if s.Vintage != nil {
			vintage = *s.Vintage
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.Name, s.State, vintage,
			strconv.FormatInt(s.Rows, 10), strconv.FormatInt(s.Refused, 10), loaded, covered(s.Covers), s.Licence, s.Producer, s.Note)
	}
	return out.Flush()
}

// covered says in a word or two where a source's layers are known.
func covered(c *ingest.Covered) string {
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
