// Command arpent serves, migrates, loads and administers: the whole service in one binary.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"text/tabwriter"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"arpent/app/command"
	"arpent/internal/config"
	"arpent/internal/opendata/ingest"
	"arpent/internal/pgdb"
)

// env is what every command starts from.
type env struct {
	config config.Config
}

func main() { command.Main(newRoot()) }

func newRoot() *cobra.Command {
	e := &env{}
	root := command.Root("arpent", "French territorial and cadastral open data as a metered API", &e.config)
	root.AddCommand(newServeCommand(e), newMigrateCommand(e), newFetchCommand(e), newLoadCommand(e),
		newUpdateCommand(e), newIndexCommand(e),
		newParcelsCommand(e), newSourcesCommand(e),
		newAccountCommand(e), newOrganisationCommand(e), newKeyCommand(e), newUsageCommand(e),
		newRejectionsCommand(e), newAuditCommand(e),
		newMailCommand(e), newJobsCommand(e), newBillingCommand(e),
		newBackupCommand(e), newRestoreCommand(e), newSetupCommand(),
		newDoctorCommand(e), newVersionCommand(e))
	return root
}

// withDB opens the database for one command, with the rights of a role,
// and explains an error to the user.
func (e *env) withDB(ctx context.Context, role pgdb.Role, run func(*pgxpool.Pool) error) error {
	pool, _, release, err := command.OpenDB(ctx, e.config, role)
	if err != nil {
		return err
	}
	defer release()
	return command.Explain(run(pool))
}

func (e *env) newLoader(pool *pgxpool.Pool) *ingest.Loader { return command.Loader(e.config, pool) }

func addJSONFlag(cmd *cobra.Command) { cmd.Flags().Bool("json", false, "print JSON") }

func wantsJSON(cmd *cobra.Command) bool {
	wants, _ := cmd.Flags().GetBool("json")
	return wants
}

// printResult writes v as JSON, or the table that is made of it, whose columns are separated by tabs.
func printResult(cmd *cobra.Command, v any, table func(io.Writer)) error {
	if wantsJSON(cmd) {
		enc := json.NewEncoder(cmd.OutOrStdout())
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
	table(w)
	return w.Flush()
}

// printList writes views as JSON, or as a table with the cells of each below its columns.
func printList[V any](cmd *cobra.Command, views []V, columns string, cells func(V) []any) error {
	return printResult(cmd, append([]V{}, views...), func(w io.Writer) {
		fmt.Fprintln(w, columns)
		for _, v := range views {
			texts := viewAll(cells(v), func(cell any) string { return fmt.Sprint(cell) })
			fmt.Fprintln(w, strings.Join(texts, "\t"))
		}
	})
}

// viewAll makes the view of each.
func viewAll[T, V any](all []T, view func(T) V) (views []V) {
	for _, one := range all {
		views = append(views, view(one))
	}
	return views
}

// release is the version that CHANGELOG.md describes first, with -dev until it is released.
const release = "1.1.0-dev"

// version is set when the program is linked, by make build and the image: git describe. Other builds
// have what the toolchain has written into them.
var version string

// buildVersion says what was built: the release with its commit as build metadata (1.1.0-dev+47a3f35), and
// the toolchain.
type buildVersion struct{ name, toolchain string }

func (v buildVersion) String() string { return "arpent " + v.name + ", " + v.toolchain }

func currentVersion() buildVersion {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{GoVersion: "unknown toolchain"}
	}
	return versionOf(version, info)
}

func versionOf(linked string, info *debug.BuildInfo) buildVersion {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	v := buildVersion{name: release, toolchain: info.GoVersion}
	if os, arch := settings["GOOS"], settings["GOARCH"]; os != "" {
		v.toolchain += " " + os + "/" + arch
	}
	commit := settings["vcs.revision"]
	if commit != "" && settings["vcs.modified"] == "true" {
		commit += "-dirty"
	}
	if build := cmp.Or(linked, commit); build != "" && build != "v"+release {
		v.name += "+" + build
	}
	return v
}

func newVersionCommand(e *env) *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Use: "version", Short: "Say which version this is, of which commit, built with what", Args: cobra.NoArgs,
		Long: "Say which version this is, of which commit, built with what.\n\n" +
			"With --check compare the database, the files that are served from and the starter data with this\n" +
			"version, say what brings each up to date, and end with 1 if one is not: before a new version serves,\n" +
			"and before a former one does again.",
		// It is asked of a program that does not start, too: the configuration is not read.
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE: func(cmd *cobra.Command, _ []string) error {
			fmt.Fprintln(cmd.OutOrStdout(), currentVersion())
			if !check {
				return nil
			}
			return printFindings(cmd.OutOrStdout(), compareVersion(cmd.Context(), e))
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "compare database, files and starter data with this version")
	return cmd
}

// compareVersion looks at what an upgrade has to bring along.
func compareVersion(ctx context.Context, e *env) []finding {
	var err error
	if e.config, err = command.ReadConfig(); err != nil {
		return []finding{{"configuration", err.Error(), "correct the variables named"}}
	}
	return append(examineDatabase(ctx, e), examineData(e.config), examineCOG(e.config))
}
