package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"arpent/app/dev/style"
)

func newStyleCommand() *cobra.Command {
	return &cobra.Command{
		Use: "style", Short: "Print the figures of style of the project in the current folder", Args: cobra.NoArgs,
		Long: `Print how long functions and lines are, how functions are named, how often the words occur that
CONTRIBUTING.md asks to replace, and how many commits have a subject that is too long.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			figures, err := style.Measure(os.DirFS("."))
			if err != nil {
				return err
			}
			log, err := exec.CommandContext(cmd.Context(), "git", "log", "--format=%s").Output()
			if err != nil {
				return fmt.Errorf("list the commits with git log: %w", err)
			}
			subjects := strings.Split(strings.TrimSpace(string(log)), "\n")
			fmt.Fprint(cmd.OutOrStdout(), figures.Table(subjects))
			return nil
		},
	}
}
