package clients_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"arpent/api"
	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/clients"
	"arpent/web/guide"
)

// call is a call of an operation, and the body that it is answered with.
type call struct {
	Operation string            `json:"operation"`
	Path      map[string]string `json:"path"`
	Query     map[string]any    `json:"query"`
	Body      json.RawMessage   `json:"body"`
}

// calls has one of each operation, for the territory of the fixture.
func calls() []call {
	none, geometry := map[string]string{}, []string{"geometry"}
	return []call{
		{Operation: "get_index", Path: none},
		{Operation: "list_regions", Path: none},
		{Operation: "get_region", Path: map[string]string{"code": "11"}, Query: map[string]any{"include": []string{"geometry", "departements"}}},
		{Operation: "list_departements", Path: none, Query: map[string]any{"region": "11"}},
		{Operation: "get_departement", Path: map[string]string{"code": "2A"}, Query: map[string]any{"include": []string{"stats"}, "fields": []string{"population", "revenus"}}},
		{Operation: "find_communes", Path: none, Query: map[string]any{"lat": 48.95, "lon": 2.55, "include": geometry}},
		{Operation: "find_communes", Path: none, Query: map[string]any{"sort": "population.latest.municipal", "top": 2, "region": "11"}},
		{Operation: "get_commune", Path: map[string]string{"code": "93010"}, Query: map[string]any{"include": []string{"stats"}}},
		{Operation: "search_address", Path: none, Query: map[string]any{"q": "Bondy, à côté & autour", "limit": 2}},
		{Operation: "get_parcel_at_point", Path: none, Query: map[string]any{"lat": 48.9105, "lon": 2.5105}},
		{Operation: "get_parcel", Path: map[string]string{"idu": "930100000A0002"}, Query: map[string]any{"include": geometry}},
		{Operation: "get_parcel_enrichments", Path: map[string]string{"idu": "930100000A0001"}},
	}
}

// address is the path and the query of a call.
func (c call) address(t *testing.T) string {
	t.Helper()
	i := slices.IndexFunc(api.Operations(), func(o api.Operation) bool { return o.Name == c.Operation })
	if i < 0 {
		t.Fatalf("there is no operation %s", c.Operation)
	}
	path := api.Operations()[i].Path
	for name, value := range c.Path {
		path = strings.ReplaceAll(path, "{"+name+"}", value)
	}
	query := url.Values{}
	for name, value := range c.Query {
		switch value := value.(type) {
		case string:
			query.Set(name, value)
		case []string:
			query.Set(name, strings.Join(value, ","))
		default:
			text := testkit.Must(json.Marshal(value))(t)
			query.Set(name, string(text))
		}
	}
	return api.Root + path + "?" + query.Encode()
}

// given is what the test programs of the clients read.
type given struct {
	BaseURL   string            `json:"baseUrl"`
	Key       string            `json:"key"`
	Spent     string            `json:"spent"`  // a key whose quota is used up
	Minute    map[string]string `json:"minute"` // a key for the limit of the minute, by client
	PerMinute int               `json:"perMinute"`
	Calls     []call            `json:"calls"`
}

// A client package installed from this service answers what the service answers,
// keeps to the limits of the account, and reports what went wrong. The packages' own
// tests check this, run on what npm and pip have installed.
func TestClients(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	in := given{BaseURL: s.Base, Key: s.Account("clients@example.org", "pro"), Spent: s.Account("spent@example.org", "pro"),
		Minute: map[string]string{"typescript": s.Account("typescript@example.org", "free"), "python": s.Account("python@example.org", "free")}}
	in.PerMinute = billing.Plans()[0].PerMinute
	s.Exec(`UPDATE account.account SET per_day = 1 WHERE email = 'spent@example.org'`)
	s.Slowly(func() bool {
		return s.Get("/api/v1/regions", "X-API-Key", in.Spent).Status == http.StatusTooManyRequests
	})
	s.UntilIndexed(in.Key)
	for _, c := range calls() {
		r := s.Get(c.address(t), "X-API-Key", in.Key)
		if r.Status != http.StatusOK {
			t.Fatalf("%s: %d %s", c.address(t), r.Status, r.Body)
		}
		c.Body = r.Body
		if c.Query == nil {
			c.Query = map[string]any{}
		}
		in.Calls = append(in.Calls, c)
	}
	text := testkit.Must(json.Marshal(in))(t)
	file := filepath.Join(t.TempDir(), "given.json")
	testkit.NoError(t, os.WriteFile(file, text, 0o600))
	t.Run("typescript", func(t *testing.T) { t.Parallel(); typescript(t, s.For(t), in.Key, file) })
	t.Run("python", func(t *testing.T) { t.Parallel(); python(t, s.For(t), in.Key, file) })
}

func typescript(t *testing.T, s *fixture.Service, key, file string) {
	dir := t.TempDir()
	download(t, s, dir, clients.TypeScript.Name)
	command{dir: dir}.run(t, testkit.Tool(t, "npm"), "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "./"+clients.TypeScript.Name)
	copyFile(t, filepath.Join(testkit.Root(t), "clients/typescript/test/client.test.mjs"), dir)
	sample(t, command{dir, []string{"ARPENT_KEY=" + key}}, guide.ClientScript, s.Base)
	command{dir, []string{"ARPENT_TEST=" + file, "ARPENT_KEY="}}.run(t, testkit.Tool(t, "node"), "--test", "client.test.mjs")
}

func python(t *testing.T, s *fixture.Service, key, file string) {
	dir, program := t.TempDir(), testkit.Tool(t, "python3")
	download(t, s, dir, clients.Python.Name)
	path := filepath.Join(dir, "installed")
	if exec.CommandContext(t.Context(), program, "-c", "import pip").Run() == nil {
		command{dir: dir}.run(t, program, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--root-user-action", "ignore",
			"--no-index", "--target", path, "./"+clients.Python.Name)
	} else {
		t.Log("there is no pip here: unpacked instead")
		command{dir: dir}.run(t, program, "-m", "zipfile", "-e", clients.Python.Name, path)
	}
	copyFile(t, filepath.Join(testkit.Root(t), "clients/python/tests/test_client.py"), dir)
	sample(t, command{dir, []string{"ARPENT_KEY=" + key, "PYTHONPATH=" + path, "PYTHONIOENCODING=utf-8"}}, guide.ClientPython, s.Base)
	command{dir, []string{"ARPENT_TEST=" + file, "ARPENT_KEY=", "PYTHONPATH=" + path, "PYTHONWARNINGS=error"}}.run(t, program, "-m", "unittest", "-v", "test_client")
}

// sample runs a program of the documentation.
func sample(t *testing.T, c command, s guide.Sample, base string) {
	t.Helper()
	testkit.NoError(t, os.WriteFile(filepath.Join(c.dir, s.File), []byte(s.Code(base)), 0o600))
	words := strings.Fields(s.Command)
	out := c.run(t, testkit.Tool(t, words[0]), words[1:]...)
	if lines := strings.Split(strings.TrimSpace(out), "\n"); len(lines) != 2 || !strings.HasPrefix(lines[0], "Bondy No source") || !strings.HasPrefix(lines[1], "Paris No source") {
		t.Errorf("%s prints %q", s.File, out)
	}
}

// download saves an archive as the service gives it out.
func download(t *testing.T, s *fixture.Service, dir, name string) {
	t.Helper()
	r := s.Get("/clients/" + name)
	if r.Status != http.StatusOK || r.Header.Get("Content-Type") != "application/octet-stream" {
		t.Fatalf("%s: %d %v", name, r.Status, r.Header)
	}
	testkit.NoError(t, os.WriteFile(filepath.Join(dir, name), r.Body, 0o600))
}

// command is where a program runs, and with what in addition to the environment of the test.
type command struct {
	dir         string
	environment []string
}

// run returns what a program prints. It fails the test where the program fails, or prints problems.
func (c command) run(t *testing.T, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir, cmd.Env = c.dir, append(append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1"), c.environment...)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", filepath.Base(program), strings.Join(args, " "), err, out, &problems)
	}
	return string(out)
}

func copyFile(t *testing.T, from, dir string) {
	t.Helper()
	testkit.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(from)), read(t, from), 0o600))
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	return testkit.Must(os.ReadFile(file))(t)
}

var afterUnderscore = regexp.MustCompile(`_.`)

// camelCase is a name as TypeScript has it.
func camelCase(name string) string {
	return afterUnderscore.ReplaceAllStringFunc(name, func(s string) string { return strings.ToUpper(s[1:]) })
}

// An operation that is added has a method in both clients, with all its parameters, and is called by their
// tests. Their types, from which TypeScript has the parameters, are those of the document.
func TestClientsHaveEveryOperation(t *testing.T) {
	t.Parallel()
	root := testkit.Root(t)
	both := func(written, made string) string {
		return string(read(t, filepath.Join(root, "clients", written))) + string(read(t, filepath.Join(root, "clients", made)))
	}
	script := both("typescript/src/index.ts", "typescript/src/operations.ts")
	program := both("python/src/arpent/client.py", "python/src/arpent/operations.py")
	document := api.Describe("Arpent", "")
	called := map[string]bool{}
	for _, c := range calls() {
		called[c.Operation] = true
	}
	for _, o := range api.Operations() {
		if !called[o.Name] {
			t.Errorf("%s is not called", o.Name)
		}
		if !strings.Contains(script, "\n  "+camelCase(o.Name)+"(") {
			t.Errorf("the TypeScript client has no method %s", camelCase(o.Name))
		}
		methods := regexp.MustCompile(`(?s)\n    def `+o.Name+`\(self(.*?)\) ->`).FindAllStringSubmatch(program, -1)
		if len(methods) == 0 {
			t.Errorf("the Python client has no method %s", o.Name)
			continue
		}
		for _, p := range document.Paths[api.Root+o.Path].Get.Parameters {
			whole := methods[len(methods)-1][1] // after its overloads
			if !regexp.MustCompile(`\b` + p.Name + `: `).MatchString(whole) {
				t.Errorf("the method %s of the Python client has no parameter %s", o.Name, p.Name)
			}
		}
	}
}

// What is made from the document is up to date.
func TestClientsAreGenerated(t *testing.T) {
	t.Parallel()
	root, dir := testkit.Root(t), t.TempDir()
	here := command{dir: root}
	here.run(t, testkit.Tool(t, "node"), "clients/typescript/generate.mjs", dir)
	here.run(t, testkit.Tool(t, "python3"), "clients/python/generate.py", dir)
	for committed, all := range map[string][]string{
		"typescript/src":    {"operations.ts"},
		"typescript/dist":   {"schema.d.ts", "index.js", "index.d.ts", "operations.js", "operations.d.ts"},
		"python/src/arpent": {"types.py", "operations.py"},
	} {
		for _, made := range all {
			if !bytes.Equal(read(t, filepath.Join(dir, made)), read(t, filepath.Join(root, "clients", committed, made))) {
				t.Errorf("clients/%s/%s is out of date: run make generate", committed, made)
			}
		}
	}
}

var versionOf = regexp.MustCompile(`(?m)^(?:  "version": |version = )"([0-9.]+)"`)

// The README of a client shows the program that is tested, and how its file is called.
func TestClientsShowWhatIsTested(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		folder, project string
		sample          guide.Sample
		archive         clients.Archive
	}{
		{"typescript", "package.json", guide.ClientScript, clients.TypeScript},
		{"python", "pyproject.toml", guide.ClientPython, clients.Python},
	} {
		folder := filepath.Join(testkit.Root(t), "clients", c.folder)
		text := string(read(t, filepath.Join(folder, "README.md")))
		if !strings.Contains(text, "\n"+c.sample.Code("https://api.example.org")+"```\n") || !strings.Contains(text, " ./"+c.archive.Name+"\n") {
			t.Errorf("%s/README.md does not show %s as it is tested, or %s", folder, c.sample.File, c.archive.Name)
		}
		if version := versionOf.FindSubmatch(read(t, filepath.Join(folder, c.project))); version == nil || !strings.HasPrefix(c.archive.Name, "arpent-"+string(version[1])) {
			t.Errorf("%s is called version %s", c.archive.Name, version)
		}
	}
}
