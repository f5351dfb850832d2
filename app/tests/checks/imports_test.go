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

// everything marks the packages that wire the program together.
const everything = "*"

// foundation may be imported by every package, and imports nothing of ours but what importRules says.
var foundation = []string{"app/base/fault", "app/base/clock", "app/base/ident", "app/base/pgdb", "app/base/jobs", "app/base/mail", "app/base/audit", "app/base/httpbody",
	"app/base/snapshot", "app/base/clientip", "app/base/budget", "app/base/trace"}

// importRules lists what each package may import in addition to the foundation. Left imports right; nothing
// points back.
var importRules = map[string][]string{
	"app":                {everything},
	"app/cmd/arpent":     {everything},
	"app/cmd/arpent-dev": {everything},
	"app/command": {"app/base/config", "app/base/pgdb/cluster", "api/ingest", "api/ingest/fetch", "api/ingest/format", "api/ingest/gdal", "api/ingest/official", "api/ingest/update",
		"api/topic", "billing"},
	"app/dev/bench": {everything},

	"app/base/fault": {}, "app/base/clock": {}, "app/base/ident": {}, "app/base/config": {}, "app/base/httpbody": {},
	"app/base/snapshot":       {},
	"app/base/clientip":       {},
	"app/base/budget":         {"app/base/clientip", "app/base/clock"},
	"app/base/jobs":           {"app/base/clock", "app/base/pgdb"},
	"app/base/mail":           {"app/base/audit", "app/base/clock", "app/base/fault", "app/base/ident", "app/base/jobs"},
	"app/base/audit":          {"app/base/ident"},
	"app/base/pgdb":           {"app/base/ident", "app/base/trace", "migrations"},
	"app/base/trace":          {},
	"app/base/pgdb/cluster":   {},
	"app/dev/testkit":         {"app/base/pgdb/cluster", "app/base/mail", "migrations", "api/ingest", "api/topic"},
	"app/dev/fixture":         {everything},
	"app/dev/bench/synthetic": {},
	"app/dev/box":             {"api/ingest/format", "api/source"},
	"app/dev/loadkit":         {"app/dev/sevenzip", "app/dev/testkit", "api/ingest", "api/ingest/format", "api/source", "api/topic"},
	"app/dev/reportkit":       {"app/dev/testkit", "api/ingest", "api/source", "api/topic"},
	"app/dev/harness":         {},
	"app/dev/lint":            {},
	"app/dev/openapi":         {},
	"app/dev/sevenzip":        {},
	"app/dev/snapshotkit":     {},
	"app/dev/style":           {},
	"app/dev/stripesim":       {"billing"},
	"migrations":              {},
	"clients":                 {},

	"app/tests/*": {}, // tests alone

	"auth":           {"auth/password"},
	"auth/password":  {},
	"auth/apikey":    {},
	"auth/social":    {"auth"},
	"auth/assistant": {"auth", "auth/apikey", "web"},

	"billing":            {},
	"billing/meter":      {"billing", "billing/meter/shared", "billing/meter/window"},
	"billing/stripegate": {"billing"},

	"billing/meter/shared": {"billing/meter/window"},
	"billing/meter/usage":  {"billing"},
	"billing/meter/window": {},

	"api": {"auth/apikey", "billing", "billing/meter", "api/geom", "api/reply", "api/source",
		"api/territory", "api/parcel", "api/geocode", "api/reference", "api/report", "api/state", "api/stats", "api/topic", "api/recorded"},
	"api/cog":   {},
	"api/geom":  {},
	"api/reply": {},
	"api/state": {},

	"api/recorded": {},

	"api/source": {"api/geom", "api/ingest/fetch", "api/ingest/fetch/producer"},
	"api/ingest": {"api/ingest/convert", "api/ingest/format", "api/ingest/fetch", "api/source"},

	"api/ingest/convert":        {"api/ingest/fetch", "api/ingest/format", "api/source"},
	"api/ingest/format":         {"api/ingest/gdal", "api/source"},
	"api/ingest/gdal":           {},
	"api/ingest/fetch":          {},
	"api/ingest/fetch/producer": {"api/ingest/fetch"},
	"api/ingest/official":       {"api/ingest/fetch", "api/source"},
	"api/ingest/update":         {"api/ingest", "api/ingest/fetch", "api/ingest/official"},

	"api/territory": {"api/source", "api/cog", "api/geom", "api/reply", "api/state", "api/stats"},
	"api/parcel":    {"api/source", "api/cog", "api/geom", "api/reply"},
	"api/geocode":   {"api/source", "api/cog", "api/geom", "api/reply", "api/geocode/build", "api/geocode/layout"},
	"api/reference": {"api/geocode", "api/geocode/layout", "api/parcel", "api/territory"},
	"api/report":    {"api/source", "api/state"},
	"api/stats":     {"api/source", "api/geom", "api/reply", "api/state"},
	"api/coverage":  {"api/parcel", "api/report", "api/state", "api/stats"},
	"api/uptime":    {},
	"api/tile":      {"api/geom", "api/parcel", "api/territory"},
	"api/topic":     {"api/topic/*", "api/source", "api/report", "api/stats", "api/ingest/fetch"},
	"api/topic/*":   {"api/source", "api/report", "api/state", "api/stats", "api/geocode/layout", "api/ingest/fetch", "api/ingest/fetch/producer"},

	"api/geocode/build":       {"api/cog", "api/geocode/layout"},
	"api/geocode/layout":      {},
	"api/report/tests":        {}, // tests alone
	"api/report/tests/served": {},
	"api/stats/tests":         {},

	"mcp":         {"api", "api/state", "auth/apikey"},
	"web":         {"billing"},
	"web/methods": {"web", "api/state"},
	"web/public":  {"web", "web/landing", "web/methods", "billing", "api", "api/state"},
	"web/guide":   {"web", "billing", "clients", "api", "api/recorded", "api/state"},
	"web/landing": {"web", "web/report", "billing"},
	"web/report":  {"web", "api/state"},

	"web/legal":     {"web", "billing"},
	"web/search":    {"web"},
	"web/coverage":  {"web", "api/coverage"},
	"web/uptime":    {"web", "api/uptime"},
	"web/explore":   {"web", "web/coverage", "api/coverage", "api/geocode", "api/geom", "api/parcel", "api/reference", "api/report", "api/state", "api/territory", "api/tile"},
	"web/reference": {"web", "api", "api/recorded", "billing/meter"},

	"portal/view":     {"web"},
	"portal/pages":    {"portal/view", "auth", "auth/apikey", "billing", "web"},
	"portal/signin":   {"portal/view", "portal/pages", "auth", "auth/assistant", "auth/social", "web"},
	"portal/consent":  {"portal/view", "portal/pages", "portal/signin", "portal/usage", "auth/apikey", "auth/assistant", "web"},
	"portal/keys":     {"portal/view", "portal/pages", "auth/apikey", "auth/assistant", "billing/meter", "billing/meter/usage", "api", "web", "web/report"},
	"portal/usage":    {"portal/view", "portal/pages", "portal/keys", "billing/meter", "billing/meter/usage", "web"},
	"portal/plan":     {"portal/view", "portal/pages", "auth", "billing", "billing/meter", "billing/meter/usage", "web"},
	"portal/settings": {"portal/view", "portal/pages", "portal/plan", "auth", "billing/meter", "billing/meter/usage", "web"},
	"portal/security": {"portal/view", "portal/pages", "portal/keys", "portal/signin", "auth", "auth/apikey", "billing/meter", "billing/meter/usage", "web"},
	"portal/admin":    {"portal/view", "portal/pages", "api/ingest", "auth", "auth/apikey", "billing", "billing/meter/usage", "web"},
	"portal/console":  {"portal/pages", "api", "auth/apikey", "billing/meter/window", "web", "web/reference"},
	"portal": {"portal/view", "portal/pages", "portal/signin", "portal/consent", "portal/console", "portal/keys", "portal/usage", "portal/plan",
		"portal/settings", "portal/security", "portal/admin", "auth", "auth/apikey", "auth/social", "billing/meter", "billing/meter/usage", "web", "web/reference", "api"},
}

// onlyImporters says who alone may import a package, tests included: testsOnly stands for any test.
var onlyImporters = map[string][]string{
	"app/base/config":             {"app", "app/cmd/arpent", "app/cmd/arpent-dev", "app/command", "app/dev/bench", "app/dev/fixture", testsOnly},
	"app/command":                 {"app/cmd/arpent", "app/cmd/arpent-dev", testsOnly},
	"app/dev/testkit":             {"app/dev/fixture", "app/dev/loadkit", "app/dev/reportkit", testsOnly},
	"app/dev/fixture":             {testsOnly},
	"app/dev/loadkit":             {testsOnly},
	"app/dev/reportkit":           {testsOnly},
	"app/dev/bench":               {"app/cmd/arpent-dev"},
	"app/dev/bench/synthetic":     {"app/dev/bench", testsOnly},
	"app/dev/harness":             {"app/dev/bench", testsOnly},
	"app/dev/openapi":             {testsOnly},
	"app/dev/sevenzip":            {"app/dev/loadkit", testsOnly},
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
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if len(out) == 0 {
		t.Fatal("go list found no package of the module")
	}
	decoder := json.NewDecoder(bytes.NewReader(out))
	for decoder.More() {
		var p listed
		if err := decoder.Decode(&p); err != nil {
			t.Fatal(err)
		}
		for _, fault := range importFaults(p) {
			t.Error(fault)
		}
	}
}

// A page shows the values that were made for it: no component reads a store or a request.
func TestComponentsReadNoStore(t *testing.T) {
	t.Parallel()
	allowed := regexp.MustCompile(`^arpent/(web|portal|app/base/(audit|clock|ident))($|/)`)
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
		"settings":           {listed{ImportPath: "arpent/api", Imports: []string{"arpent/app/base/config"}}, "must not import app/base/config"},
		"for development":    {listed{ImportPath: "arpent/app/cmd/arpent", Imports: []string{"arpent/app/dev/bench/synthetic"}}, "must not import app/dev/bench/synthetic"},
		"simulated payments": {listed{ImportPath: "arpent/app", Imports: []string{"arpent/app/dev/stripesim"}}, "must not import app/dev/stripesim"},
		"test kit":           {listed{ImportPath: "arpent/app", Imports: []string{"arpent/app/dev/testkit"}}, "must not import app/dev/testkit"},
		"payment library":    {listed{ImportPath: "arpent/app", Imports: []string{"github.com/stripe/stripe-go/v76"}}, "must not import github.com/stripe"},
		"part of it":         {listed{ImportPath: "arpent/app", Imports: []string{"github.com/stripe/stripe-go/v76/customer"}}, "must not import github.com/stripe"},
		"new package":        {listed{ImportPath: "arpent/util"}, "add it to the table"},
		"foundation upwards": {listed{ImportPath: "arpent/app/base/clock", Imports: []string{"arpent/app/base/pgdb"}}, "must not import app/base/pgdb"},
		"between topics":     {listed{ImportPath: "arpent/api/topic/risks", Imports: []string{"arpent/api/topic/land"}}, "must not import api/topic/land"},
		"engine and topic":   {listed{ImportPath: "arpent/api/ingest", Imports: []string{"arpent/api/topic/land"}}, "must not import api/topic/land"},
		"allowed":            {listed{ImportPath: "arpent/api", Imports: []string{"arpent/billing", "arpent/app/base/fault", "fmt"}}, ""},
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
	allowed, known := importRules[family(name)]
	if !known {
		return []string{fmt.Sprintf("%s is not in the table of imports: add it to the table, with what it may import", name)}
	}
	var faults []string
	refuse := func(who, what string) { faults = append(faults, who+" must not import "+what) }
	for _, imp := range p.Imports {
		ours, inside := strings.CutPrefix(imp, "arpent/")
		switch {
		case !mayImport(imp, name):
			refuse(name, strings.TrimPrefix(imp, "arpent/"))
		case inside && !slices.Contains(allowed, everything) && !slices.Contains(allowed, family(ours)) && !isFoundation(name, ours):
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

// family is the name in the table: all topics are alike, and so are the folders of tests.
func family(name string) string {
	for _, alike := range []string{"api/topic/", "app/tests/"} {
		if strings.HasPrefix(name, alike) {
			return alike + "*"
		}
	}
	return name
}

// isFoundation: the foundation packages themselves do not lean on each other.
func isFoundation(name, imported string) bool {
	return slices.Contains(foundation, imported) && !slices.Contains(foundation, name)
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
