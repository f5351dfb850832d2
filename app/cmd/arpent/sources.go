package main

import (
	"fmt"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"arpent/api/ingest"
	"arpent/app/command"
)

func newSourcesCommand(e *env) *cobra.Command {
	var asJSON, everything bool
	c := &cobra.Command{
		Use: "sources", Short: "List the sources, what is loaded of them, and their licences", Args: cobra.NoArgs,
		Long: `List the sources that are loaded or that have files below ARPENT_DATA: their state, where they are known, their licence.

With --all those without a file are listed too, with the form of the files that can be given. The JSON array always
holds all of them.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			pool, _, release, err := e.openDB(cmd.Context())
			if err != nil {
				return err
			}
			defer release()
			all, err := e.loader(pool).Sources(cmd.Context())
			if err != nil {
				return command.Explain(err)
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), all)
			}
			return printSources(cmd, all, everything)
		},
	}
	c.Flags().BoolVar(&everything, "all", false, "list those without a file too")
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return c
}

func printSources(cmd *cobra.Command, all []ingest.SourceStatus, everything bool) error {
	listed := all
	if !everything {
		listed = slices.DeleteFunc(slices.Clone(all), func(s ingest.SourceStatus) bool { return s.State == ingest.NoFile })
	}
	out := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "SOURCE\tSTATE\tVINTAGE\tROWS\tREFUSED\tLOADED\tCOVERS\tLICENCE\tPRODUCER\tNOTE")
	for _, s := range listed {
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
	if err := out.Flush(); err != nil {
		return err
	}
	if left := len(all) - len(listed); left > 0 {
		fmt.Fprintf(cmd.OutOrStdout(), "\n%d more have no file: arpent sources --all lists them.\n", left)
	}
	return nil
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
