package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"arpent/app/dev/fixture"
	"arpent/app/dev/harness"
	"arpent/app/dev/testkit"
)

// A user who reports a fault can say which version has it, also when a wrong
// configuration keeps it from starting.
func TestVersion(t *testing.T) { // not parallel: commands read the environment
	t.Setenv("PORT", "nine")
	out, err := runArpent(t, "", "version")
	if err != nil {
		t.Fatal(err)
	}
	expectParts(t, out, "arpent ", runtime.Version())
	t.Setenv("PORT", "")
	t.Setenv("ARPENT_STATE_DIR", t.TempDir())
	pool, url := testkit.DB(t)
	t.Setenv("ARPENT_DATABASE_URL", url)
	const forgetLast = `DELETE FROM goose_db_version WHERE id = (SELECT max(id) FROM goose_db_version)`
	if _, err := pool.Exec(t.Context(), forgetLast); err != nil {
		t.Fatal(err)
	}
	if out, err = runArpent(t, "", "version", "--check"); err == nil {
		t.Error("an older schema is no difference")
	}
	expectParts(t, out, "problem  schema         older than this version", "run arpent migrate")
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

// The commands that the documents name exist, with each of their flags.
func TestDocumentsNameCommandsThatExist(t *testing.T) {
	t.Parallel()
	docs := []string{filepath.Join(testkit.Root(t), "README.md"), filepath.Join(testkit.Root(t), "CHANGELOG.md")}
	for _, folder := range []string{"docs", "docs/*"} {
		found, err := filepath.Glob(filepath.Join(testkit.Root(t), folder, "*.md"))
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, found...)
	}
	written, named := regexp.MustCompile("(?m)(?:^ {4}|`)(?:bin/)?arpent ([a-z][^`|#;\\n]*)"), 0
	for _, doc := range docs {
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

// asProgram is set where the binary of the tests is started as the program itself, which
// measures itself all the time and drains for ever.
const asProgram = "TEST_AS_ARPENT"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		probeEvery, productionDrain = 100*time.Millisecond, time.Hour
		main()
		return
	}
	os.Exit(m.Run())
}

// The program serves as an operator reads: it logs and counts requests, measures itself, drains when it is
// asked to stop, does not wait when it is asked twice, and keeps off a schema that is older than its code.
func TestServe(t *testing.T) {
	pool, url := testkit.DB(t)
	if _, err := pool.Exec(t.Context(), fixture.Territory); err != nil {
		t.Fatal(err)
	}
	log := &fixture.Lines{}
	p := harness.Program{Path: os.Args[0], Log: log, Env: []string{asProgram + "=1", "ARPENT_DATABASE_URL=" + url, "ARPENT_STATE_DIR=" + t.TempDir()}}
	metrics := fmt.Sprintf("127.0.0.1:%d", fixture.FreePort(t))
	s, err := p.Serve(t.Context(), "ARPENT_METRICS_ADDR="+metrics)
	if err != nil {
		t.Fatal(err, log)
	}
	t.Cleanup(s.Kill)
	get := func(address string) (int, string) {
		res, err := http.Get(address)
		if err != nil {
			t.Fatal(err, log)
		}
		r := fixture.Read(t, res)
		return r.Status, string(r.Body)
	}
	get(s.Base + "/docs")
	testkit.Eventually(t, testkit.Timeout, "the request is in the log", func() bool { return strings.Contains(log.String(), `"route":"/docs"`) })
	if _, text := get("http://" + metrics + "/metrics"); !strings.Contains(text, `route="/docs"`) || !strings.Contains(text, `version="`+currentVersion().name+`"`) {
		t.Error(text)
	}
	testkit.Eventually(t, testkit.Timeout, "it has measured itself", func() bool { return testkit.Count(t, pool, `SELECT count(*) FROM account.probe_day`) > 0 })
	signal := func() {
		if err := syscall.Kill(s.PID(), syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	signal()
	testkit.Eventually(t, testkit.Timeout, "it drains", func() bool {
		status, _ := get(s.Base + "/readyz")
		return status == http.StatusServiceUnavailable
	})
	signal()
	testkit.Eventually(t, testkit.Timeout, "it ends", func() bool { return syscall.Kill(s.PID(), 0) != nil })
	if _, err := pool.Exec(t.Context(), `DELETE FROM goose_db_version WHERE id = (SELECT max(id) FROM goose_db_version)`); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Run(t.Context(), "serve"); err == nil || !strings.Contains(err.Error(), "run arpent migrate first") {
		t.Errorf("on a schema that is older: %v", err)
	}
}
