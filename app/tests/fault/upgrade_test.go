//go:build soak

package fault_test

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"arpent/api"
	"arpent/app/dev/harness"
	"arpent/app/dev/testkit"
)

// previous builds the program as it was before the newest migration, or as of ARPENT_PREVIOUS, a commit. Its
// starter data are in the folder next to the program's.
func previous(t *testing.T) (path string) {
	t.Helper()
	root, source := testkit.Root(t), t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "safe.directory=*"}, args...)...)
		cmd.Dir = root
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %q: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	commit := os.Getenv("ARPENT_PREVIOUS")
	if commit == "" {
		commit = git("log", "-1", "--diff-filter=A", "--format=%H", "--", "migrations/*.sql") + "^"
	}
	t.Logf("the version before is %s", git("log", "-1", "--format=%h %s", commit))
	git("archive", "--output="+filepath.Join(source, "source.tar"), commit)
	const build = "tar -xf source.tar && go build -buildvcs=false -trimpath -o bin/ ./app/cmd/arpent"
	unpack := exec.CommandContext(t.Context(), "sh", "-ec", build)
	unpack.Dir = source
	if out, err := unpack.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(source, "bin", "arpent")
}

// An upgrade and the way back keep every client. Two instances of the version before serve 100 requests a
// second behind a proxy while the schema is migrated, the served files are made anew and each instance is
// replaced by the new version, and while both go back. Every operation and tool answers throughout, both
// versions know the same keys, and every answer is counted once. The rate that the machine reached is
// printed.
func TestSoakUpgrade(t *testing.T) {
	old := previous(t)
	current := testkit.Must(build())(t)
	environment := []string{"ARPENT_DATABASE_URL=" + testkit.NewPostgres(t, "").URL,
		"ARPENT_REDIS_URL=" + testkit.Redis(t), "ARPENT_TRUSTED_PROXIES=127.0.0.1",
		"ARPENT_STATE_DIR=" + t.TempDir(), "ARPENT_SECRET=a secret of thirty-two letters or more",
		"ARPENT_LOG_LEVEL=error"}
	before := harness.Program{Path: old, Log: os.Stderr, Env: environment}
	after := harness.Program{Path: current, Log: os.Stderr, Env: environment}
	run := func(p harness.Program, args ...string) {
		t.Helper()
		if out, err := p.Run(t.Context(), args...); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
	account := func(p harness.Program, email string) (key string) {
		t.Helper()
		return testkit.Must(p.Account(t.Context(), email, unlimited))(t)
	}
	run(before, "migrate")
	run(before, "load")
	run(before, "index")
	var servers []*harness.Server
	for range 2 {
		s := testkit.Must(before.Serve(t.Context()))(t)
		t.Cleanup(s.Kill)
		servers = append(servers, s)
	}
	base, _ := balance(t, servers)
	keys := map[string]string{"of both": account(before, callers[0])}
	requests, names := everyRequest(keys["of both"])
	for i := range requests { // on real data each of them is answered
		c := harness.NewClient(base, "")
		c.Timeout = time.Minute // the first report reads what the database has not read yet
		a, err := c.Send(&requests[i])
		c.Close()
		if got := gradeAnswer(&requests[i], &a); err != nil || got != fine {
			t.Fatalf("%s before the upgrade: %s %v", names[i], got, err)
		}
	}

	var shown atomic.Int32
	begin := time.Now()
	end := traffic{Base: base, Rate: 100, Clients: 64, Requests: requests, Timeout: time.Minute,
		Judge: func(r *harness.Request, a *harness.Answer) string {
			got := gradeAnswer(r, a)
			if got != fine && shown.Add(1) <= 20 {
				t.Logf("%s %s: %s: %.300s", r.Path, r.Body, got, a.Body)
			}
			return got
		}}.Start()
	done := func(what string) { t.Logf("%6s %s", time.Since(begin).Round(time.Second), what) }
	replace := func(p harness.Program, i int, what string) {
		t.Helper()
		servers[i].Stop()
		s := testkit.Must(p.ServeAt(t.Context(), servers[i].Base))(t)
		t.Cleanup(s.Kill)
		servers[i] = s
		time.Sleep(5 * time.Second) // the proxy has seen it
		done(what)
	}
	run(after, "migrate")
	done("the schema is migrated")
	run(after, "index")
	done("the files are made by the new version")
	replace(after, 0, "one instance is of the new version")
	keys["of the new version"] = account(after, callers[1])
	keys["of the version before"] = account(before, callers[2])
	for who, key := range keys {
		for _, s := range servers {
			c := harness.NewClient(s.Base, "")
			testkit.Eventually(t, testkit.Timeout, "the key "+who+" everywhere", func() bool {
				a, err := c.Get("/api/v1/regions", key)
				return err == nil && a.Status == http.StatusOK
			})
			c.Close()
		}
	}
	replace(after, 1, "both are of the new version")
	run(before, "index")
	done("the files are made by the version before")
	replace(before, 0, "one instance is of the version before again")
	replace(before, 1, "both are of the version before again")
	outcomes := end()
	lasted := time.Since(begin)
	t.Logf("%d requests in %s, %.1f a second", len(outcomes), lasted.Round(time.Second),
		float64(len(outcomes))/lasted.Seconds())
	countAnswers(t, requests, names, outcomes)

	for _, server := range servers {
		server.Stop() // writes what is not written yet
	}
	counted := len(requests) + 2 // those before the load, and two of the key everywhere
	for i := range outcomes {
		if outcomes[i].Status == http.StatusOK {
			counted++
		}
	}
	if used, err := before.UsedToday(t.Context(), callers[0]); err != nil || used != counted {
		t.Errorf("%d requests are counted (%v), %d were answered", used, err, counted)
	}
}

// everyRequest returns a request of each operation and of each tool, with more of statistics and of searches,
// and the name of each.
func everyRequest(key string) (requests []harness.Request, names []string) {
	add := func(name string, r harness.Request) {
		r.Key = key
		requests, names = append(requests, r), append(names, name)
	}
	for _, op := range api.Operations() {
		add(op.Name, harness.Request{Path: "/api/v1" + op.Example})
	}
	for _, t := range api.Tools() {
		add("tool "+t.Name, tool(t.Name, t.Example))
	}
	for _, path := range []string{"/communes/93010?include=stats", "/departements/93?include=stats",
		"/regions/11?include=stats",
		"/communes?departement=93&fields=revenus.medianIncome&sort=revenus.medianIncome&top=5"} {
		add("statistics", harness.Request{Path: "/api/v1" + path})
	}
	for _, q := range []string{"bondy", "12+allee+des+roses+bondy", "rue+de+la+paix+paris"} {
		add("search", harness.Request{Path: "/api/v1/adresses?q=" + q})
	}
	return requests, names
}

// gradeAnswer returns fine for an answer with what was asked for, else its status, and for a tool whether it
// returned an error.
func gradeAnswer(r *harness.Request, a *harness.Answer) string {
	switch {
	case a.Status != http.StatusOK:
		return fmt.Sprint(a.Status)
	case r.Path == "/mcp" && !bytes.Contains(a.Body, []byte(`"structuredContent"`)):
		return "200 with an error"
	}
	return fine
}

// countAnswers prints how many answers each operation had, by grade, and fails for those that are not fine.
func countAnswers(t *testing.T, requests []harness.Request, names []string, outcomes []outcome) {
	t.Helper()
	nameOf := map[*harness.Request]string{}
	for i := range requests {
		nameOf[&requests[i]] = names[i]
	}
	answers := map[string]map[string]int{}
	for i := range outcomes {
		o := &outcomes[i]
		if answers[nameOf[o.Request]] == nil {
			answers[nameOf[o.Request]] = map[string]int{}
		}
		answers[nameOf[o.Request]][cmp.Or(o.Grade, "no answer")]++
		if o.Err != nil {
			t.Logf("%s: %v", nameOf[o.Request], o.Err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(answers)) {
		t.Logf("%-34s %v", name, answers[name])
		for grade, n := range answers[name] {
			if grade != fine {
				t.Errorf("%s: %d times %s", name, n, grade)
			}
		}
	}
}
