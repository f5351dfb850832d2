package operation_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"arpent/app/dev/fixture"
	"arpent/app/dev/harness"
	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/billing"
	"arpent/internal/clock"
)

// commands are the lines of shell under a heading of docs/operations/backup.md, so that
// operators read the commands that are tested.
func commands(t *testing.T, heading string) string {
	t.Helper()
	return codeUnder(t, "operations/backup.md", heading)
}

// codeUnder is the code under a heading of a document.
func codeUnder(t *testing.T, document, heading string) string {
	t.Helper()
	doc := testkit.Must(os.ReadFile(filepath.Join(testkit.Root(t), "docs", document)))(t)
	_, section, found := strings.Cut(string(doc), "\n"+heading+"\n")
	section, _, _ = strings.Cut(section, "\n#")
	var out strings.Builder
	for line := range strings.Lines(section) {
		if code, ok := strings.CutPrefix(line, "    "); ok {
			out.WriteString(code)
		}
	}
	if !found || out.Len() == 0 {
		t.Fatalf("no commands under %q", heading)
	}
	return out.String()
}

// A server whose database is lost is there again from the documented backup: accounts, keys and counts, with
// only what the document says, where the server's user may only serve and the owner of the schema is
// no superuser. What was mailed after the backup was made opens no other account.
func TestBackupAndRestoreAsDocumented(t *testing.T) {
	t.Parallel()
	database := fixture.New(t, fixture.Territory)
	binary := testkit.Must(harness.Build(t.Context(), t.TempDir()))(t)
	where, mails := t.TempDir(), testkit.NewSMTP(t)
	at := testkit.Must(url.Parse(database.URL))(t)
	name := strings.TrimPrefix(at.Path, "/")
	as := func(user string) string { u := *at; u.User = url.User(user); return u.String() }
	admin := *at
	admin.Path = "/postgres"
	serving, owner := name+"_serving", name+"_owner"
	testkit.Exec(t, database.Pool, fmt.Sprintf("CREATE USER %s IN ROLE arpent_serve, arpent_read; "+
		"CREATE USER %s IN ROLE arpent_serve, arpent_read, arpent_load", serving, owner))
	state := filepath.Join(where, "state")
	program := harness.Program{Path: binary, Log: os.Stderr, Env: []string{"ARPENT_DATABASE_URL=" + as(serving), "ARPENT_DATABASE_OWNER_URL=" + database.URL,
		"ARPENT_STATE_DIR=" + state,
		"ARPENT_SMTP_URL=" + mails.URL(), "ARPENT_LOG_LEVEL=error", "ADMIN_URL=" + admin.String(), "NAME=" + name, "OWNER=" + owner,
		"PATH=" + filepath.Dir(binary) + ":" + os.Getenv("PATH")}}
	shell := func(script string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "sh", "-exc", script)
		cmd.Dir, cmd.Env = where, append(os.Environ(), program.Env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	serve := func() (*fixture.Site, *harness.Server) {
		t.Helper()
		server := testkit.Must(program.Serve(t.Context()))(t)
		t.Cleanup(server.Kill)
		database.Base = server.Base
		return &fixture.Site{Service: database, Mails: mails}, server
	}
	key, err := program.Account(t.Context(), "anne@exemple.fr", harness.Limits{PerMinute: 100, EnrichmentsPerMinute: 10, PerDay: 1000})
	testkit.NoError(t, err)
	for _, email := range []string{"marie@exemple.fr", "paul@exemple.fr"} {
		_, err := auth.NewAccounts(database.Pool, clock.Real{}).Create(t.Context(),
			auth.NewAccount{Email: email, Password: fixture.Password, Plan: billing.Free, Confirmed: true})
		testkit.NoError(t, err)
	}
	s, server := serve()
	for range 3 {
		if got := s.Get("/api/v1/communes/93010", "X-API-Key", key).Status; got != http.StatusOK {
			t.Fatalf("before: %d", got)
		}
	}
	s.Until(func() bool { n, err := program.UsedToday(t.Context(), "anne@exemple.fr"); return err == nil && n == 3 })
	shell(commands(t, "## Backup"))
	stale := s.ResetLink("marie@exemple.fr")
	server.Kill() // the machine is lost
	testkit.NoError(t, os.RemoveAll(state))

	restore, last, _ := strings.Cut(commands(t, "## Restore"), "arpent load")
	if strings.TrimSpace(last) != "arpent serve" {
		t.Errorf("serving is not the last command: %q", last)
	}
	program.Env = append(program.Env, "ARPENT_DATABASE_OWNER_URL="+as(owner), "BACKUP="+backupOf(t, filepath.Join(where, "backups")))
	shell(restore)
	if _, err := database.Pool.Exec(t.Context(), fixture.Territory); err != nil { // in place of loading, which takes longer
		t.Fatal(err)
	}
	s, _ = serve()
	answer := s.Get("/api/v1/communes/75056", "X-API-Key", key)
	if answer.Status != http.StatusOK || answer.Header.Get("X-Quota-Used") != "4" {
		t.Errorf("after: %d, %s used, want 200 and 4", answer.Status, answer.Header.Get("X-Quota-Used"))
	}
	if _, p := s.SignIn("marie@exemple.fr", fixture.Password); p.Status != http.StatusSeeOther {
		t.Errorf("sign-in after: %d", p.Status)
	}
	fresh := s.ResetLink("paul@exemple.fr") // takes the row that the lost one had
	client := s.Browser()
	if client.Get(fresh).Find("input[type=password]").Length() == 0 {
		t.Error("a link of after the restore does not work")
	}
	if client.Get(stale).Find("input[type=password]").Length() > 0 {
		t.Error("a link of before opens another account")
	}
}

// backupOf is the one dump in a folder, which its user alone can read, as the secret next to it.
func backupOf(t *testing.T, dir string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(found) != 2 || filepath.Ext(found[0]) != ".dump" || filepath.Ext(found[1]) != ".secret" {
		t.Fatalf("%q (%v), want a dump and a secret", found, err)
	}
	for _, path := range append(found, dir) {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	return found[0]
}
