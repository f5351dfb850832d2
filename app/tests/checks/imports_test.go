package checks_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
)

// layers are the folders of the repository from the top to the bottom: a package imports packages of its own
// folder and of the layers below. Folders of one layer do not import each other. "api/" stands for the
// packages inside api, which answer with data and know no accounts.
var layers = [][]string{
	{"app"},
	{"portal", "mcp"},
	{"web"},
	{"api"},
	{"auth", "billing"},
	{"api/"},
	{"internal/opendata/topic"},
	{"internal/opendata"},
	{"internal"},
	{"migrations", "clients"},
}

// climbing lists the imports against the layers: addresses of the report are compared by the words that the
// search compares.
var climbing = map[string]string{"internal/opendata/topic/addresses": "api/geocode/layout"}

// apart lists folders whose packages do not import each other.
var apart = []string{"internal/opendata/topic"}

// onlyImporters says who alone may import a package, tests included: testsOnly stands for any test.
var onlyImporters = map[string][]string{
	"internal/config":             {"app", "app/cmd/arpent", "app/cmd/arpent-dev", "app/command", "app/dev/fixture", testsOnly},
	"app/command":                 {"app/cmd/arpent", "app/cmd/arpent-dev", testsOnly},
	"app/dev/testkit":             {"app/dev/fixture", "app/dev/loadkit", "app/dev/reportkit", testsOnly},
	"app/dev/fixture":             {testsOnly},
	"app/dev/loadkit":             {testsOnly},
	"app/dev/reportkit":           {testsOnly},
	"app/dev/bench":               {"app/cmd/arpent-dev", testsOnly},
	"app/dev/harness":             {"app/dev/bench", testsOnly},
	"app/dev/openapi":             {testsOnly},
	"app/dev/snapshotkit":         {testsOnly},
	"app/dev/stripesim":           {"app/cmd/arpent-dev", testsOnly},
	"github.com/stripe/stripe-go": {"billing/stripegate", "billing/stripegate" + testsOnly},
}

const testsOnly = " (test)"

// listed is a package as go list prints it.
type listed struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

// Packages import only what the rules allow: accounts stay out of the data packages, plans out of sign-in,
// the payment library in one place.
func TestImports(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "arpent/...")
	cmd.Stderr = os.Stderr
	out := testkit.Must(cmd.Output())(t)
	if len(out) == 0 {
		t.Fatal("go list found no package of the module")
	}
	decoder := json.NewDecoder(bytes.NewReader(out))
	for decoder.More() {
		var p listed
		testkit.NoError(t, decoder.Decode(&p))
		for _, fault := range importFaults(p) {
			t.Error(fault)
		}
	}
}

// A page shows the values that were made for it: no component reads a store or a request.
func TestComponentsReadNoStore(t *testing.T) {
	t.Parallel()
	allowed := regexp.MustCompile(`^arpent/(web|portal|internal/(audit|clock|ident))($|/)`)
	imports := regexp.MustCompile(`(?m)^(?:import)?\s+"([^"]+)"$`)
	read := 0
	root := testkit.Root(t)
	err := fs.WalkDir(os.DirFS(root), "portal", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".templ" {
			return err
		}
		text, err := os.ReadFile(filepath.Join(root, path))
		for _, m := range imports.FindAllStringSubmatch(string(text), -1) {
			read++
			standard := !strings.HasPrefix(m[1], "arpent/") && !strings.Contains(m[1], ".")
			if !standard && !allowed.MatchString(m[1]) {
				t.Errorf("%s imports %s", path, m[1])
			}
		}
		return err
	})
	if err != nil || read < 50 {
		t.Errorf("%d imports: %v", read, err)
	}
}

// The check itself finds what it is there for.
func TestForbiddenImportsAreReported(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		p    listed
		want string // part of the one fault; empty: none
	}{
		"upwards":            {listed{ImportPath: "arpent/api/territory", Imports: []string{"arpent/api"}}, "must not import api"},
		"data knows account": {listed{ImportPath: "arpent/api/parcel", Imports: []string{"arpent/auth/apikey"}}, "must not import auth/apikey"},
		"auth and billing":   {listed{ImportPath: "arpent/auth", Imports: []string{"arpent/billing"}}, "must not import billing"},
		"settings":           {listed{ImportPath: "arpent/api", Imports: []string{"arpent/internal/config"}}, "must not import internal/config"},
		"for development":    {listed{ImportPath: "arpent/app/cmd/arpent", Imports: []string{"arpent/app/dev/bench"}}, "must not import app/dev/bench"},
		"simulated payments": {listed{ImportPath: "arpent/app", Imports: []string{"arpent/app/dev/stripesim"}}, "must not import app/dev/stripesim"},
		"test kit":           {listed{ImportPath: "arpent/app", Imports: []string{"arpent/app/dev/testkit"}}, "must not import app/dev/testkit"},
		"payment library":    {listed{ImportPath: "arpent/app", Imports: []string{"github.com/stripe/stripe-go/v76"}}, "must not import github.com/stripe"},
		"part of it":         {listed{ImportPath: "arpent/app", Imports: []string{"github.com/stripe/stripe-go/v76/customer"}}, "must not import github.com/stripe"},
		"new folder":         {listed{ImportPath: "arpent/util"}, "in no folder of the list"},
		"next to each other": {listed{ImportPath: "arpent/portal", Imports: []string{"arpent/mcp"}}, "must not import mcp"},
		"foundation upwards": {listed{ImportPath: "arpent/internal/clock", Imports: []string{"arpent/internal/opendata/geom"}}, "must not import internal/opendata/geom"},
		"between topics":     {listed{ImportPath: "arpent/internal/opendata/topic/risks", Imports: []string{"arpent/internal/opendata/topic/land"}}, "must not import internal/opendata/topic/land"},
		"engine and topic":   {listed{ImportPath: "arpent/internal/opendata/ingest", Imports: []string{"arpent/internal/opendata/topic/land"}}, "must not import internal/opendata/topic/land"},
		"allowed":            {listed{ImportPath: "arpent/api", Imports: []string{"arpent/billing", "arpent/internal/fault", "fmt"}}, ""},
		"allowed in a test":  {listed{ImportPath: "arpent/auth", XTestImports: []string{"arpent/app/dev/testkit"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := importFaults(tc.p)
			if tc.want == "" && len(got) == 0 {
				return
			}
			if tc.want == "" || len(got) != 1 || !strings.Contains(got[0], tc.want) {
				t.Errorf("faults %q, want one with %q", got, tc.want)
			}
		})
	}
}

func importFaults(p listed) []string {
	name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, "arpent"), "/")
	layer, folder := layerOf(name)
	if folder == "" {
		return []string{fmt.Sprintf("%s is in no folder of the list of layers", name)}
	}
	var faults []string
	refuse := func(who, what string) { faults = append(faults, who+" must not import "+what) }
	for _, imp := range p.Imports {
		ours, inside := strings.CutPrefix(imp, "arpent/")
		below, other := layerOf(ours)
		switch {
		case !mayImport(imp, name):
			refuse(name, ours)
		case !inside || climbing[name] == ours:
		case below < layer, below == layer && other != folder, areApart(name, ours):
			refuse(name, ours)
		}
	}
	for _, imp := range slices.Concat(p.TestImports, p.XTestImports) {
		if !mayImport(imp, name+testsOnly) {
			refuse("a test of "+name, strings.TrimPrefix(imp, "arpent/"))
		}
	}
	return faults
}

// layerOf returns the number of a package's layer and the folder that it belongs to, the longest that fits;
// "" for none.
func layerOf(name string) (layer int, folder string) {
	for i, folders := range layers {
		for _, f := range folders {
			if len(f) > len(folder) && (name == f || strings.HasPrefix(name, strings.TrimSuffix(f, "/")+"/")) {
				layer, folder = i, f
			}
		}
	}
	return layer, folder
}

// areApart reports whether two packages are in one of the folders whose packages do not import each other.
func areApart(name, imported string) bool {
	return slices.ContainsFunc(apart, func(folder string) bool {
		return strings.HasPrefix(name, folder+"/") && strings.HasPrefix(imported, folder+"/")
	})
}

// mayImport applies onlyImporters.
func mayImport(imp, who string) bool {
	for what, importers := range onlyImporters {
		if imp != what && imp != "arpent/"+what && !strings.HasPrefix(imp, what+"/") {
			continue
		}
		test := strings.HasSuffix(who, testsOnly) && slices.Contains(importers, testsOnly)
		if !slices.Contains(importers, who) && !test {
			return false
		}
	}
	return true
}
