package contract_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/internal/config"
)

const (
	judgeEmail   = "judge@example.org"
	judgeTimeout = 2 * time.Minute // of one judge
)

// judges are the programs by which others check whether a server speaks the protocol, on one running service.
type judges struct {
	*fixture.Site
	node    string // the program of Node, which some of them need newer than the system's
	folder  string
	keyed   string // the service's /mcp for judges that cannot send a key
	key     string
	person  *approver
	results []result
}

// The public judges of the protocol find nothing wrong: were one of them to, an assistant
// somebody uses would find it too. What they ask for and this server does not offer is listed,
// each with its reason, and nothing else is let pass.
func TestJudges(t *testing.T) {
	if os.Getenv("ARPENT_JUDGES") == "" {
		t.Skip("make test-mcp installs the judges and runs them")
	}
	t.Parallel()
	j := newJudges(t)
	defer j.report(t)
	for _, run := range []struct {
		name string
		do   func(*testing.T)
	}{
		{"conformance 0.1.16", func(t *testing.T) { j.conformance(t, "@modelcontextprotocol/conformance") }},
		{"conformance 0.2.0-alpha.12", func(t *testing.T) { j.conformance(t, "conformance-next") }},
		{"conformance 0.2.0-alpha.12, 2025-06-18", func(t *testing.T) { j.conformance(t, "conformance-next", "--spec-version", "2025-06-18") }},
		{"conformance 0.2.0-alpha.12, 2026-07-28", func(t *testing.T) { j.conformance(t, "conformance-next", "--spec-version", "2026-07-28") }},
		{"conformance 0.2.0-alpha.12, authorization", j.authorization},
		{"inspector 2.12.0", j.inspector},
		{"inspector 2.12.0, OAuth", j.inspectorSignsIn},
		{"sdk 1.32.2", func(t *testing.T) { j.flow(t, "sdk1.mjs") }},
		{"client 2.4.0, 2025-11-25", func(t *testing.T) { j.flow(t, "sdk2.mjs", "legacy") }},
		{"client 2.4.0, 2026-07-28", func(t *testing.T) { j.flow(t, "sdk2.mjs", "modern") }},
		{"mcp-remote 0.15.1", j.remote},
		{"openapi-schema-validator 2.11.0", j.document},
	} {
		t.Run(run.name, run.do)
	}
}

func newJudges(t *testing.T) *judges {
	t.Helper()
	s := fixture.Portal(t, func(c *config.Config) { c.ClientDocuments = true })
	j := &judges{Site: s, folder: filepath.Join(testkit.Root(t), "app", "dev", "judges")}
	j.node = newestNode(t, j.folder)
	j.key = s.Account("conformance@example.org", "pro")
	s.UntilIndexed(j.key)
	s.SignUp(judgeEmail)
	s.Exec(`UPDATE account.account SET plan = 'pro' WHERE email = $1`, judgeEmail)
	s.Limit(j.key, 1_000_000) // they send more messages a minute than any plan takes
	j.keyed = withKey(t, s.Base, j.key) + "/mcp"
	j.person = newApprover(t)
	return j
}

// calls are the arguments of one call of each tool, and a file with them.
func (j *judges) calls(t *testing.T) (path string, tools map[string]map[string]any) {
	t.Helper()
	path, tools = filepath.Join(t.TempDir(), "calls.json"), goodCalls(t)
	text := testkit.Must(json.Marshal(tools))(t)
	testkit.NoError(t, os.WriteFile(path, text, 0o600))
	return path, tools
}

// judgeName is the name of the running judge: the part of the test's name that is its own.
func judgeName(t *testing.T) string {
	_, name, _ := strings.Cut(t.Name(), "/")
	return strings.ReplaceAll(name, "_", " ")
}
