package main

import (
	"cmp"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set when the program is linked, by make build and the image: git describe. Other builds have what the
// toolchain has written into them.
var version string

// buildVersion says what was built.
type buildVersion struct{ name, commit, toolchain string }

func (v buildVersion) String() string {
	s := "arpent " + v.name
	if v.commit != "" && v.commit != v.name {
		s += " (commit " + v.commit + ")"
	}
	return s + ", " + v.toolchain
}

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
	v := buildVersion{commit: settings["vcs.revision"], toolchain: info.GoVersion}
	if v.commit != "" && settings["vcs.modified"] == "true" {
		v.commit += ", modified"
	}
	if os, arch := settings["GOOS"], settings["GOARCH"]; os != "" {
		v.toolchain += " " + os + "/" + arch
	}
	main := info.Main.Version
	if main == "(devel)" {
		main = ""
	}
	v.name = cmp.Or(linked, main, v.commit, "unknown")
	return v
}

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Say which version this is, of which commit, built with what", Args: cobra.NoArgs,
		// It is asked of a program that does not start, too: the configuration is not read.
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), currentVersion())
			return err
		},
	}
}
