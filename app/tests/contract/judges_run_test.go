package contract_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
)

func (j *judges) found(t *testing.T, scenario, check, fault string) {
	j.results = append(j.results, result{judgeName(t), scenario, check, fault == "", fault})
}

// resultFolder is how the conformance suite names the folder of a
// scenario's results, in each of its commands.
var resultFolder = regexp.MustCompile(`^(?:authorization-)?server-(.+?)-\d{4}-\d\d-\d\dT[\d-]+Z$`)

// conformance runs every scenario for servers. The suite's own result
// is not used: it counts what does not apply.
func (j *judges) conformance(t *testing.T, module string, more ...string) {
	folder := t.TempDir()
	c := &child{}
	j.run(t, c, append([]string{"node_modules/" + module + "/dist/index.js", "server", "--url", j.keyed, "--suite", "all", "-o", folder}, more...)...)
	if !strings.Contains(c.stdout.String(), "=== SUMMARY ===") {
		t.Fatalf("the suite did not come to its end:\n%s", c.tail())
	}
	if began, read := strings.Count(c.stdout.String(), "=== Running scenario: "), j.readChecks(t, folder); began != read || read == 0 {
		t.Errorf("%d scenarios began, %d left results", began, read)
	}
	for range 2 {
		j.again(t, module, more...)
	}
}

// again has the scenarios judged once more in which something failed that has to pass.
// The suite waits for some answers no longer than a second or two, which a busy machine
// can miss; what is wrong is wrong each time.
func (j *judges) again(t *testing.T, module string, more ...string) {
	t.Helper()
	expected, failing := readList(t, j.folder), map[string]bool{}
	for _, r := range j.results {
		if r.judge == judgeName(t) && !r.passed && expected.findExemption(r) < 0 {
			failing[r.scenario] = true
		}
	}
	for scenario := range failing {
		t.Logf("%s is judged once more", scenario)
		j.results = slices.DeleteFunc(j.results, func(r result) bool { return r.judge == judgeName(t) && r.scenario == scenario })
		folder, c := t.TempDir(), &child{}
		j.run(t, c, append([]string{"node_modules/" + module + "/dist/index.js", "server", "--url", j.keyed, "--scenario", scenario, "-o", folder}, more...)...)
		if read := j.readChecks(t, folder); read != 1 {
			t.Errorf("%s judged once more left %d results\n%s", scenario, read, c.tail())
		}
	}
}

// readChecks reads the results of the conformance suite. A warning, and
// a check that was not made, are not passed.
func (j *judges) readChecks(t *testing.T, folder string) (scenarios int) {
	t.Helper()
	paths, _ := filepath.Glob(filepath.Join(folder, "*", "checks.json")) // the pattern is well formed
	for _, path := range paths {
		name := resultFolder.FindStringSubmatch(filepath.Base(filepath.Dir(path)))
		var checks []struct{ ID, Status, ErrorMessage string }
		text, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(text, &checks)
		}
		if err != nil || name == nil {
			t.Fatalf("%s: %v", path, err)
		}
		judged := 0
		for _, check := range checks {
			if check.Status == "INFO" {
				continue
			}
			judged++
			fault := ""
			if check.Status != "SUCCESS" {
				fault = check.Status + " " + check.ErrorMessage
			}
			j.found(t, name[1], check.ID, fault)
		}
		if judged == 0 {
			j.found(t, name[1], "nothing-judged", "the suite judged nothing")
		}
	}
	return len(paths)
}

// authorization judges the authorization server by the code grant of a client that it registers.
func (j *judges) authorization(t *testing.T) {
	port := testkit.FreePort(t)
	folder := t.TempDir()
	c := &child{}
	c.watch = func(line string) {
		if strings.HasPrefix(line, j.Base+"/oauth/authorize?") {
			go j.open(line) // the judge waits for its callback
		}
	}
	j.run(t, c, "node_modules/conformance-next/dist/index.js", "authorization", "--url", j.Base, "--client-id",
		j.register(t, fmt.Sprintf("http://127.0.0.1:%d/callback", port)), "--resource", j.Base+"/mcp", "--port", fmt.Sprint(port), "-o", folder)
	if read := j.readChecks(t, folder); read != 2 {
		t.Errorf("%d scenarios left results, want 2\n%s", read, c.tail())
	}
}

// open has an address approved, and follows the way back to the client. What
// goes wrong shows at the client, which waits.
func (j *judges) open(address string) {
	res, err := http.Post(j.person.url, "text/plain", strings.NewReader(address))
	if err != nil {
		return
	}
	defer res.Body.Close()
	var location bytes.Buffer
	if _, err := location.ReadFrom(res.Body); err != nil {
		return
	}
	if back, err := http.Get(location.String()); err == nil {
		back.Body.Close()
	}
}

// document has the OpenAPI document held against the specification's schema of documents.
func (j *judges) document(t *testing.T) {
	file := filepath.Join(t.TempDir(), "openapi.json")
	testkit.NoError(t, os.WriteFile(file, j.Get("/openapi.json").Body, 0o600))
	c := &child{}
	fault := ""
	if j.run(t, c, "node_modules/@seriousme/openapi-schema-validator/bin/validate-api-cli.js", file) != 0 {
		fault = c.tail()
	}
	j.found(t, "document", "", fault)
}

// register registers a client as the judges' own clients do.
func (j *judges) register(t *testing.T, callback string) (id string) {
	t.Helper()
	body := fmt.Sprintf(`{"client_name":"Judge","redirect_uris":[%q],"token_endpoint_auth_method":"none"}`, callback)
	res := testkit.Must(http.Post(j.Base+"/oauth/register", "application/json", strings.NewReader(body)))(t)
	defer res.Body.Close()
	var client struct {
		ID string `json:"client_id"`
	}
	if err := json.NewDecoder(res.Body).Decode(&client); err != nil || res.StatusCode != http.StatusCreated {
		t.Fatalf("registration: %d, %v", res.StatusCode, err)
	}
	return client.ID
}

// flow runs one of our programs around a client, which writes each step that it took.
func (j *judges) flow(t *testing.T, program string, more ...string) {
	calls, _ := j.calls(t)
	j.steps(t, append(append([]string{program}, more...), j.Base+"/mcp", j.person.url, calls)...)
}

// remote runs mcp-remote as an application does that speaks to servers over pipes only.
func (j *judges) remote(t *testing.T) {
	calls, _ := j.calls(t)
	j.steps(t, "remote.mjs", j.Base+"/mcp", fmt.Sprint(testkit.FreePort(t)), calls)
}

func (j *judges) steps(t *testing.T, args ...string) {
	t.Helper()
	c := &child{}
	code := j.run(t, c, args...)
	for line := range strings.Lines(c.stdout.String()) {
		var step struct{ Step, Error string }
		if err := json.Unmarshal([]byte(line), &step); err != nil {
			t.Fatalf("the program wrote %q", line)
		}
		j.found(t, step.Step, "", step.Error)
	}
	if code != 0 {
		t.Errorf("%s ended with %d\n%s", args[0], code, c.tail())
	}
}
