package checks_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/licensecheck"

	"arpent/app/dev/testkit"
)

// allowedLicences may be linked into the program or sent to browsers, whatever the licence of what we wrote:
// they ask for no more than their text and the names of the authors, MPL-2.0 also for the source of its own
// files, which we take unchanged. What comes under another one is looked at by a person first.
var allowedLicences = []string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MPL-2.0", "OFL-1.1"}

// Packages whose description names no licence, or one by a name that
// is none; their LICENSE or README was read.
var npmLicences = map[string]string{
	"@mapbox/jsonlint-lines-primitives": "MIT",
	"htmx.org":                          "0BSD",
}

// Modules that are under one licence or another; which one is ours to choose.
var chosenLicences = map[string]string{
	"kernel.org/pub/linux/libs/security/libcap/psx": "BSD-3-Clause", // or GPL-2.0-only
}

// The licence of each part of the program is known and allowed. The list is docs/third-party.md, for those
// who distribute the program.
func TestLicences(t *testing.T) {
	t.Parallel()
	found := goLicences(t)
	maps.Copy(found, npmPackages(t))
	found["Source Sans 3, Source Code Pro"] = part{"fonts", licenceOf(t, filepath.Join(testkit.Root(t), "web", "static"))}
	if len(found) < 80 {
		t.Fatalf("only %d parts were found", len(found))
	}
	listed := map[string]part{}
	for _, row := range regexp.MustCompile(`(?m)^\| (\S.*?) \| (Go|npm|fonts) \| (\S+) \|$`).FindAllStringSubmatch(projectFile(t, "docs/third-party.md"), -1) {
		listed[row[1]] = part{row[2], row[3]}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		p := found[name]
		for licence := range strings.SplitSeq(p.licence, "+") {
			if !slices.Contains(allowedLicences, licence) {
				t.Errorf("%s is under %q: allowed are %s", name, p.licence, strings.Join(allowedLicences, ", "))
			}
		}
		if listed[name] != p {
			t.Errorf("docs/third-party.md lacks the line\n| %s | %s | %s |", name, p.kind, p.licence)
		}
	}
	for name := range listed {
		if _, there := found[name]; !there {
			t.Errorf("docs/third-party.md lists %s, which is no part any more", name)
		}
	}
}

// The check itself finds what it is there for: a text under another licence, and one that is none.
func TestOtherLicencesAreReported(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for text, want := range map[string]string{
		"This program is free software: you can redistribute it and/or modify it under the terms of the GNU Affero General Public License as " +
			"published by the Free Software Foundation, either version 3 of the License, or (at your option) any later version.": "AGPL-3.0-or-later",
		"All rights reserved.": "none",
	} {
		testkit.NoError(t, os.WriteFile(filepath.Join(dir, "LICENSE"), []byte(text), 0o600))
		if got := licenceOf(t, dir); got != want || slices.Contains(allowedLicences, got) {
			t.Errorf("%.30s…: %s, want %s", text, got, want)
		}
	}
}

// part is what the program is made of: kind is Go, npm or fonts, licence an
// SPDX identifier, or several with + between.
type part struct{ kind, licence string }

func goLicences(t *testing.T) map[string]part {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}", "./app/cmd/arpent")
	list.Dir = testkit.Root(t)
	out := testkit.Must(list.Output())(t)
	found := map[string]part{"the Go standard library": {"Go", "BSD-3-Clause"}}
	for line := range strings.Lines(string(out)) {
		name, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
		if _, seen := found[name]; name != "" && !seen {
			found[name] = part{"Go", cmp.Or(chosenLicences[name], licenceOf(t, dir))}
		}
	}
	return found
}

// npmPackages are those that browsers get, whole or packed into one, and the codes of the communes.
func npmPackages(t *testing.T) map[string]part {
	t.Helper()
	var lock struct {
		Packages map[string]struct {
			Dev     bool
			License string
		}
	}
	testkit.NoError(t, json.Unmarshal([]byte(projectFile(t, "package-lock.json")), &lock))
	found := map[string]part{}
	for path, p := range lock.Packages {
		if path == "" || p.Dev {
			continue
		}
		name := path[strings.LastIndex(path, "node_modules/")+len("node_modules/"):]
		licence := p.License
		if read, ok := npmLicences[name]; ok {
			licence = read
		}
		if choice, ok := strings.CutPrefix(licence, "(MIT OR "); ok && strings.HasSuffix(choice, ")") {
			licence = "MIT" // it is ours to choose
		}
		found[name] = part{"npm", licence}
	}
	return found
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense|fonts-OFL)[^/]*$`)

// licenceOf names the licences of the texts in a folder, none where there is no text that is known.
func licenceOf(t *testing.T, dir string) string {
	t.Helper()
	entries := testkit.Must(os.ReadDir(dir))(t)
	var ids []string
	for _, e := range entries {
		if e.IsDir() || !licenceFile.MatchString(e.Name()) {
			continue
		}
		text := testkit.Must(os.ReadFile(filepath.Join(dir, e.Name())))(t)
		for _, m := range licensecheck.Scan(text).Match {
			ids = append(ids, fmt.Sprint(m.ID))
		}
	}
	if len(ids) == 0 {
		return "none"
	}
	slices.Sort(ids)
	return strings.Join(slices.Compact(ids), "+")
}
