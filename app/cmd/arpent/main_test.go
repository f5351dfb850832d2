package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
)

// Whoever reports a fault can say which version has it, also when the configuration is why nothing starts.
func TestVersion(t *testing.T) { // not parallel: commands read the environment
	t.Setenv("PORT", "nine")
	out, err := arpent(t, "", "version")
	if err != nil {
		t.Fatal(err)
	}
	contains(t, out, "arpent ", runtime.Version())
	built := []debug.BuildSetting{{Key: "GOOS", Value: "linux"}, {Key: "GOARCH", Value: "arm64"}, {Key: "vcs.revision", Value: "47a3f35"}, {Key: "vcs.modified", Value: "true"}}
	for want, got := range map[string]buildVersion{
		"arpent v1.2-3-g47a3f35, go1.26.0":                             versionOf("v1.2-3-g47a3f35", &debug.BuildInfo{GoVersion: "go1.26.0"}),
		"arpent v1.2 (commit 47a3f35, modified), go1.26.0 linux/arm64": versionOf("v1.2", &debug.BuildInfo{GoVersion: "go1.26.0", Settings: built}),
		"arpent 47a3f35, modified, go1.26.0 linux/arm64":               versionOf("", &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: "(devel)"}, Settings: built}),
		"arpent unknown, go1.26.0":                                     versionOf("", &debug.BuildInfo{GoVersion: "go1.26.0"}),
	} {
		if got.String() != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Whoever follows the documents finds each command, with each of its flags.
func TestDocumentsNameCommandsThatExist(t *testing.T) {
	t.Parallel()
	docs, err := filepath.Glob(filepath.Join(testkit.Root(t), "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	written, named := regexp.MustCompile("(?m)(?:^ {4}|`)(?:bin/)?arpent ([a-z][^`|#;\\n]*)"), 0
	for _, doc := range append(docs, filepath.Join(testkit.Root(t), "README.md")) {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range written.FindAllStringSubmatch(string(text), -1) {
			words := strings.Fields(strings.NewReplacer("[", "", "]", "").Replace(strings.SplitN(m[1], "  ", 2)[0]))
			root := newRoot()
			root.InitDefaultHelpCmd()
			c, rest, err := root.Find(words)
			if named++; err != nil || c.HasSubCommands() && len(rest) > 0 {
				t.Errorf("%s: there is no command arpent %s", filepath.Base(doc), strings.Join(words, " "))
				continue
			}
			for _, word := range words {
				if flag, is := strings.CutPrefix(word, "--"); is && c.Flag(flag) == nil {
					t.Errorf("%s: arpent %s has no flag %s", filepath.Base(doc), c.Name(), word)
				}
			}
		}
	}
	if named < 80 {
		t.Errorf("%d commands found: the form of the documents has changed", named)
	}
}
