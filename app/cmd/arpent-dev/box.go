package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"arpent/app/dev/box"
)

func newBoxCommand() *cobra.Command {
	var from []string
	var to string
	c := &cobra.Command{
		Use: "box", Short: "Build the starter data set of the repository from a folder of full files",
		Args: cobra.NoArgs,
		Long: `Build the starter data set of the repository from folders of full files: one file for each declared one. The
same full files give the same bytes. A declared file without a full file, or with a total that is not the official
one, is an error; the others are written. The outlines are made from the first folder, which takes minutes and needs
Node. README.md has a row for each file, which is written by hand.`,
		Example: "  arpent-dev box --from full --from pilot --to data",
		RunE: func(cmd *cobra.Command, _ []string) error {
			written, err := box.Build(cmd.Context(), from, to, box.Files())
			if err != nil {
				return err
			}
			outlines, err := box.BuildOutlines(cmd.Context(), from[0], to)
			if err != nil {
				return fmt.Errorf("make the outlines of the box: %w", err)
			}
			total := 0
			for _, w := range append(written, outlines) {
				total += w.Bytes
				fmt.Fprintf(cmd.OutOrStdout(), "%8d  %s\n", w.Bytes, w.Path)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%8d  %d files\n", total, len(written)+1)
			return nil
		},
	}
	c.Flags().StringArrayVar(&from, "from", nil, "a folder of full files (several times)")
	c.Flags().StringVar(&to, "to", "data", "the folder of the box")
	_ = c.MarkFlagRequired("from")
	return c
}
