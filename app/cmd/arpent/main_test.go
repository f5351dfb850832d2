package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"arpent/app"
	"arpent/app/dev/fixture"
	"arpent/app/dev/harness"
	"arpent/app/dev/testkit"
)

// A user who reports a fault can say which version has it, also when a wrong
// configuration keeps it from starting.
func TestVersion(t *testing.T) { // not parallel: commands read the environment
	t.Setenv("PORT", "nine")
	out, err := runArpent(t, "", "version")
	testkit.NoError(t, err)
	expectParts(t, out, "arpent ", runtime.Version())
	t.Setenv("PORT", "")
	t.Setenv("ARPENT_STATE_DIR", t.TempDir())
	pool, url := testkit.DB(t)
	t.Setenv("ARPENT_DATABASE_URL", url)
	const forgetLast = `DELETE FROM goose_db_version WHERE id = (SELECT max(id) FROM goose_db_version)`
	testkit.Exec(t, pool, forgetLast)
	if out, err = runArpent(t, "", "version", "--check"); err == nil {
		t.Error("an older schema is no difference")
	}
	expectParts(t, out, "problem  schema         older than this version", "run arpent migrate")
	built := []debug.BuildSetting{{Key: "GOOS", Value: "linux"}, {Key: "GOARCH", Value: "arm64"}, {Key: "vcs.revision", Value: "47a3f35"}, {Key: "vcs.modified", Value: "true"}}
	for want, got := range map[string]buildVersion{
		"arpent " + release + "+v1.0.0-3-g47a3f35, go1.26.0":         versionOf("v1.0.0-3-g47a3f35", &debug.BuildInfo{GoVersion: "go1.26.0"}),
		"arpent " + release + ", go1.26.0 linux/arm64":               versionOf("v"+release, &debug.BuildInfo{GoVersion: "go1.26.0", Settings: built}),
		"arpent " + release + "+47a3f35-dirty, go1.26.0 linux/arm64": versionOf("", &debug.BuildInfo{GoVersion: "go1.26.0", Settings: built}),
		"arpent " + release + ", go1.26.0":                           versionOf("", &debug.BuildInfo{GoVersion: "go1.26.0"}),
	} {
		if got.String() != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// The name that a program gives itself is that of the entry of CHANGELOG.md that says how to upgrade
// to it.
func TestReleaseIsInTheChangelog(t *testing.T) {
	t.Parallel()
	text := testkit.Must(os.ReadFile(filepath.Join(testkit.Root(t), "CHANGELOG.md")))(t)
	first := regexp.MustCompile(`(?m)^## (.*)$`).FindStringSubmatch(string(text))
	want := release
	if next, is := strings.CutSuffix(release, "-dev"); is {
		want = next + ", unreleased"
	}
	if first == nil || first[1] != want {
		t.Errorf("CHANGELOG.md begins with %q, want %q", first, want)
	}
}

// The commands that the documents name exist, with each of their flags.
func TestDocumentsNameCommandsThatExist(t *testing.T) {
	t.Parallel()
	docs := []string{filepath.Join(testkit.Root(t), "README.md"), filepath.Join(testkit.Root(t), "CHANGELOG.md")}
	for _, folder := range []string{"docs", "docs/*"} {
		found := testkit.Must(filepath.Glob(filepath.Join(testkit.Root(t), folder, "*.md")))(t)
		docs = append(docs, found...)
	}
	written, named := regexp.MustCompile("(?m)(?:^ {4}|`)(?:bin/)?arpent ([a-z][^`|#;\\n]*)"), 0
	for _, doc := range docs {
		text := testkit.Must(os.ReadFile(doc))(t)
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
	testkit.Exec(t, pool, fixture.Territory)
	log := &fixture.Lines{}
	p := harness.Program{Path: os.Args[0], Log: log, Env: []string{asProgram + "=1", "ARPENT_DATABASE_URL=" + url, "ARPENT_STATE_DIR=" + t.TempDir()}}
	metrics := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
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
		testkit.NoError(t, syscall.Kill(s.PID(), syscall.SIGTERM))
	}
	signal()
	testkit.Eventually(t, testkit.Timeout, "it drains", func() bool {
		status, _ := get(s.Base + "/readyz")
		return status == http.StatusServiceUnavailable
	})
	signal()
	testkit.Eventually(t, testkit.Timeout, "it ends", func() bool { return syscall.Kill(s.PID(), 0) != nil })
	testkit.Exec(t, pool, `DELETE FROM goose_db_version WHERE id = (SELECT max(id) FROM goose_db_version)`)
	if _, err := p.Run(t.Context(), "serve"); err == nil || !strings.Contains(err.Error(), "run arpent migrate first") {
		t.Errorf("on a schema that is older: %v", err)
	}
}

// The first settings of a server are asked for one by one, wrong ones at once, and what a public server still
// lacks is named; the file means the same to a shell, and asking again changes nothing. Otherwise an operator
// would find each fault by a start that fails.
func TestSetup(t *testing.T) { // not parallel: commands read the environment
	file := filepath.Join(t.TempDir(), "arpent.env")
	testkit.NoError(t, os.WriteFile(file, []byte("# mine\nexport ANOTHER\nGREETING=$HOME\nARPENT_LOG_LEVEL='warn' \n"), 0o600))
	answers := []string{"arpent.example", "http://arpent.example",
		"https://arpent.example"} // the third is accepted
	for _, q := range questions[1:] {
		switch q.name {
		case "ARPENT_OPERATORS":
			answers = append(answers, "no address", "op@example.org")
		case "ARPENT_PUBLISHER_NAME":
			answers = append(answers, `Le "Cadastre" à $5 SAS`)
		case "ARPENT_SMTP_URL":
			answers = append(answers, "smtp://u:hidden@mail.example:587")
		default:
			answers = append(answers, "")
		}
	}
	out, err := runArpent(t, strings.Join(answers, "\n")+"\n", "setup", file)
	if err != nil {
		t.Fatal(err, out)
	}
	expectParts(t, out, `ARPENT_BASE_URL: is "arpent.example"`, "begins with https://",
		`"no address" is not an e-mail address`,
		"ARPENT_SECRET is drawn", "Still missing for a public server: ARPENT_PUBLISHER_ADDRESS,",
		"ARPENT_CONTACT_EMAIL")
	written, err := readSettings(file)
	settings := written.settings
	if err != nil || settings["ARPENT_LOG_LEVEL"] != "warn" || len(settings["ARPENT_SECRET"]) != 64 ||
		settings["ARPENT_PUBLISHER_NAME"] != `Le "Cadastre" à $5 SAS` {
		t.Errorf("%v: %q", err, settings)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	said, err := exec.CommandContext(t.Context(), "sh", "-c",
		`. "$1"; printf %s "$ARPENT_PUBLISHER_NAME|$ARPENT_LOG_LEVEL"`, "sh", file).Output()
	if want := `Le "Cadastre" à $5 SAS|warn`; err != nil || string(said) != want {
		t.Errorf("a shell reads %q, want %q (%v)", said, want, err)
	}
	before, err := os.ReadFile(file)
	testkit.NoError(t, err)
	out, err = runArpent(t, strings.Repeat("\n", len(questions)), "setup", file)
	if after, _ := os.ReadFile(file); err != nil || string(after) != string(before) || strings.Contains(out,
		"hidden") {
		t.Errorf("asked again: %v\n%s\n%s", err, out, after)
	}
	if !strings.HasPrefix(string(before), "# mine\nexport ANOTHER\nGREETING=$HOME\nARPENT_LOG_LEVEL='warn' \n") {
		t.Errorf("what was in the file is changed:\n%s", before)
	}
	if _, err := runArpent(t, "\n", "setup", file); err == nil || !strings.Contains(err.Error(),
		"nothing is written") {
		t.Errorf("answers that end: %v", err)
	}
}

// What the server would refuse replaces no settings: a form of a value that a shell and systemd read
// differently, a name that is no setting, settings that do not go together. A secret in a file is not asked
// for.
func TestSetupKeepsTheFile(t *testing.T) { // not parallel: commands read the environment
	dir := t.TempDir()
	file, secret := filepath.Join(dir, "arpent.env"), filepath.Join(dir, "smtp")
	testkit.NoError(t, os.WriteFile(secret, []byte("smtp://u:hidden@mail.example:587"), 0o600))
	const base = "ARPENT_BASE_URL=https://a.example\n"
	for text, want := range map[string]string{
		base + `ARPENT_SERVICE_NAME="a"b` + "\n":        "value of ARPENT_SERVICE_NAME on one line",
		base + "ARPENT_SERVICE_NAME=$HOME\n":            "value of ARPENT_SERVICE_NAME on one line",
		base + "ARPENT_SERVICENAME=a\n":                 "no such setting: ARPENT_SERVICENAME",
		base + "ARPENT_STRIPE_WEBHOOK_SECRET=whsec_a\n": "nothing is written",
	} {
		testkit.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := runArpent(t, strings.Repeat("\n", len(questions)), "setup", file)
		after, _ := os.ReadFile(file)
		if err == nil || !strings.Contains(err.Error(), want) || string(after) != text {
			t.Errorf("%q: %v; the file: %q", text, err, after)
		}
	}
	text := base + "ARPENT_SMTP_URL_FILE=" + secret + "\nARPENT_STATE_DIR=/srv/arpent\n" +
		"ARPENT_STRIPE_KEY=sk_test_a\nARPENT_STRIPE_WEBHOOK_SECRET=whsec_a\nARPENT_STRIPE_PRICE_STANDARD=price_a\n" +
		"ARPENT_STRIPE_PRICE_PRO=price_b\n"
	testkit.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	out, err := runArpent(t, strings.Repeat("\n", len(questions)-1+len(stripeQuestions)), "setup", file)
	if err != nil || strings.Contains(out, "(ARPENT_SMTP_URL)") {
		t.Errorf("a secret in a file: %v\n%s", err, out)
	}
	expectParts(t, out, "ReadWritePaths=/srv/arpent", rehearsalText)
}

// leftClusters lists the clusters that stopped and were not removed where root's go.
func leftClusters(t *testing.T) []string {
	t.Helper()
	found := testkit.Must(filepath.Glob("/var/tmp/arpent-*/data/PG_VERSION"))(t)
	return slices.DeleteFunc(found, func(name string) bool {
		_, err := os.Stat(filepath.Join(filepath.Dir(name), "postmaster.pid"))
		return err == nil
	})
}

// A backup is verified in a folder that user postgres may pass and in one that it may not, and no copy of the
// accounts stays in either.
func TestVerificationLeavesNoCopy(t *testing.T) { // not parallel: it reads the environment
	_, url := testkit.DB(t)
	dump := filepath.Join(t.TempDir(), "a.dump")
	rows := testkit.Must(dumpAccounts(t.Context(), url, dump))(t)
	open := testkit.Must(os.MkdirTemp("", "arpent-open-"))(t)
	t.Cleanup(func() { _ = os.RemoveAll(open) })
	testkit.NoError(t, os.Chmod(open, 0o711))
	before := leftClusters(t)
	for _, dir := range []string{open, t.TempDir()} {
		t.Setenv("TMPDIR", dir)
		if err := verifyDump(t.Context(), dump, rows); err != nil {
			t.Error(err)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%v stay in %s", left, dir)
		}
	}
	if after := leftClusters(t); !slices.Equal(before, after) {
		t.Errorf("clusters %v, and %v before", after, before)
	}
}

// Programs of PostgreSQL get the address of the database by variables: arguments are read by all users.
func TestClientEnvironment(t *testing.T) { // not parallel: it reads the environment
	name, environment, err := clientEnvironment(
		"postgres://o@db.example:5433/arpent?password=hid%20den&sslmode=verify-full&sslrootcert=system")
	want := []string{"PGHOST=db.example", "PGPORT=5433", "PGUSER=o", "PGPASSWORD=hid den", "PGSSLMODE=verify-full",
		"PGSSLROOTCERT=system"}
	if err != nil || name != "arpent" || !slices.Equal(environment, want) {
		t.Errorf("%s, %q, %v; want %q", name, environment, err, want)
	}
}

// No backup is older than the page on privacy promises, but for the only one that there may be: an operator
// whose backups fail would lose the last good one.
func TestBackupsAreDeletedByAge(t *testing.T) {
	t.Parallel()
	dir, now := t.TempDir(), time.Now().UTC()
	write := func(days int) {
		t.Helper()
		name := "arpent-" + now.AddDate(0, 0, -days).Format(stampLayout)
		for _, suffix := range []string{dumpSuffix, secretSuffix} {
			testkit.NoError(t, os.WriteFile(filepath.Join(dir, name+suffix), nil, 0o600))
		}
	}
	left := func(days int) int {
		t.Helper()
		testkit.NoError(t, (backup{dir: dir, keepDays: days, out: io.Discard}).deleteOld())
		files := testkit.Must(os.ReadDir(dir))(t)
		return len(files)
	}
	for _, days := range []int{2, 89, 91, 400} {
		write(days)
	}
	if n := left(0); n != 8 {
		t.Errorf("without the setting %d files are left of 8", n)
	}
	if n := left(90); n != 4 {
		t.Errorf("%d files are left, want two backups with their secrets", n)
	}
	if n := left(1); n != 2 {
		t.Errorf("%d files are left, want the newest backup with its secret", n)
	}
}

// A backup is whole and the newest ones stay; without that an operator would find out on the day of the
// loss. A database that has accounts is never overwritten, and half a backup is not restored.
func TestBackupCommand(t *testing.T) { // not parallel: commands read the environment
	pool, url := testkit.DB(t)
	t.Setenv("ARPENT_DATABASE_URL", url)
	t.Setenv("ARPENT_STATE_DIR", t.TempDir())
	t.Setenv("ARPENT_SECRET", strings.Repeat("s", 32))
	mustRun(t, "account", "create", "--email", "a@example.org", "--plan", "free", "--confirmed")
	dir := filepath.Join(t.TempDir(), "backups")
	testkit.NoError(t, os.MkdirAll(dir, 0o700))
	for _, name := range []string{"arpent-20250101T000000Z.dump", "arpent-20250101T000000Z.secret",
		"arpent-20250102T000000Z.dump", "another.dump"} {
		testkit.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	if err := os.WriteFile(filepath.Join(dir, "arpent-20250103T000000Z.dump.new"), nil, 0o600); err != nil {
		t.Fatal(err) // of a run that was killed
	}
	expectParts(t, mustRun(t, "backup", dir, "--keep", "2"), "verified by a restore",
		"in ARPENT_SECRET and not part of the backup",
		"deleted "+filepath.Join(dir, "arpent-20250101T000000Z.dump"))
	if _, err := os.Stat(filepath.Join(os.Getenv("ARPENT_STATE_DIR"), app.BackupMark)); err != nil {
		t.Errorf("the server does not see that a backup was made: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 3 {
		t.Fatalf("%q are left (%v), want two backups and a file of another name", left, err)
	}
	if _, err := runArpent(t, "", "restore", left[2]); err == nil ||
		!strings.Contains(err.Error(), "has tables of accounts already") {
		t.Errorf("into a database with accounts: %v", err)
	}
	if err := verifyDump(t.Context(), left[2], map[string]int{"account.account": 2}); err == nil ||
		!strings.Contains(err.Error(), "differ") {
		t.Errorf("a backup that lacks an account: %v", err)
	}
	whole := testkit.Must(os.ReadFile(left[2]))(t)
	half := filepath.Join(t.TempDir(), "half.dump")
	testkit.NoError(t, os.WriteFile(half, whole[:len(whole)/2], 0o600))
	testkit.Exec(t, pool, `DROP SCHEMA account, job, geo CASCADE; DROP TABLE goose_db_version`)
	t.Setenv("ARPENT_SECRET", "")
	for name, secret := range map[string]string{filepath.Join(os.Getenv("ARPENT_STATE_DIR"), "secret"): "b1\n",
		strings.TrimSuffix(left[2], dumpSuffix) + secretSuffix: "b1\na2\n"} {
		testkit.NoError(t, os.WriteFile(name, []byte(secret), 0o600))
	}
	if _, err := runArpent(t, "", "restore", half); err == nil || !strings.Contains(err.Error(), "as it was") {
		t.Errorf("half a backup: %v", err)
	}
	expectParts(t, mustRun(t, "restore", left[2]), "restored: 1 accounts", "in addition to its own")
	secrets, err := os.ReadFile(filepath.Join(os.Getenv("ARPENT_STATE_DIR"), "secret"))
	if err != nil || string(secrets) != "b1\na2\n" {
		t.Errorf("secrets %q, %v", secrets, err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := runArpent(t, "", "backup", dir); err == nil ||
		!strings.Contains(err.Error(), "postgresql-client") {
		t.Errorf("without pg_dump: %v", err)
	}
	if drafts, _ := filepath.Glob(filepath.Join(dir, "*.new")); len(drafts) > 0 {
		t.Errorf("half a backup is left: %q", drafts)
	}
}
