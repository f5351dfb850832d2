package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"arpent/app/dev/testkit"
	"arpent/internal/mail"
)

// An operator sees what failed and why, has it sent again with one command, and never sees a link.
func TestMailCommands(t *testing.T) { // not parallel: commands read the environment
	pool, url := testkit.DB(t)
	t.Setenv("ARPENT_DATABASE_URL", url)
	t.Setenv("ARPENT_MODE", "production")
	for _, to := range []string{"gone@exemple.fr", "waits@exemple.fr"} {
		testkit.NoError(t, pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
			return mail.Send(t.Context(), tx, mail.Job{Template: mail.Reset, To: to, Language: "fr", Link: &mail.Link{Purpose: "reset", ID: 4711}})
		}))
	}
	testkit.Exec(t, pool, `UPDATE job.river_job SET state = 'cancelled', finalized_at = now(), attempt = 1,
		errors = ARRAY['{"at": "2026-01-01T00:00:00Z", "attempt": 1, "error": "JobCancelError: 550 no such\nuser", "trace": ""}'::jsonb]
		WHERE args->>'to' = 'gone@exemple.fr'`)
	out := mustRun(t, "mail", "list")
	expectParts(t, out, "gone@exemple.fr", "waits@exemple.fr", "failed", "waiting", "reset", "550 no such user")
	if strings.Contains(out, "4711") {
		t.Errorf("a link is shown:\n%s", out)
	}
	var failed []mail.Entry
	if err := json.Unmarshal([]byte(mustRun(t, "mail", "failed", "--json")), &failed); err != nil || len(failed) != 1 || failed[0].To != "gone@exemple.fr" {
		t.Fatalf("%+v, %v", failed, err)
	}
	id := strconv.FormatInt(failed[0].ID, 10)
	if out := mustRun(t, "jobs"); !regexp.MustCompile(`mail +1 +0 +1 `).MatchString(out) {
		t.Errorf("jobs:\n%s", out)
	}
	expectParts(t, mustRun(t, "mail", "retry", id), "gone@exemple.fr", "waits to be sent again")
	if out := mustRun(t, "jobs"); !regexp.MustCompile(`mail +2 +0 +0 `).MatchString(out) {
		t.Errorf("jobs:\n%s", out)
	}
	if out := mustRun(t, "mail", "failed", "--json"); strings.TrimSpace(out) != "[]" {
		t.Error(out)
	}
	for args, want := range map[string]string{
		"mail retry " + id: "has not failed", "mail retry 999": "no mail 999", "mail retry x": "not the number of a mail", "mail list --limit 0": "--limit",
	} {
		if _, err := runArpent(t, "", strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("arpent %s: %v, want %q", args, err, want)
		}
	}
	testkit.Exec(t, pool, "DROP SCHEMA job CASCADE")
	for _, args := range []string{"mail list", "mail retry " + id} {
		if _, err := runArpent(t, "", strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), "run `arpent migrate`") {
			t.Errorf("arpent %s before arpent migrate: %v", args, err)
		}
	}
}

// The operator who sets the service up sees before the first customer does that mails do not leave, and why.
func TestDoctorMail(t *testing.T) { // not parallel: commands read the environment
	_, database := testkit.DB(t)
	state := t.TempDir()
	server := testkit.NewSMTP(t, testkit.SMTPOptions{User: "arpent", Password: "hidden"})
	t.Setenv("ARPENT_DATABASE_URL", database)
	t.Setenv("ARPENT_STATE_DIR", state)
	doctor := func(want ...string) {
		t.Helper()
		out, _ := runArpent(t, "", "doctor") // other findings depend on the machine
		expectParts(t, out, want...)
		if strings.Contains(out, "hidden") {
			t.Errorf("the password is shown:\n%s", out)
		}
	}
	t.Setenv("ARPENT_MODE", "development")
	doctor("ok       mail", "/dev/mail", "ok       secret         not made yet")
	t.Setenv("ARPENT_MODE", "production")
	doctor("problem  mail", "set ARPENT_SMTP_URL")
	t.Setenv("ARPENT_SMTP_URL", server.URL())
	doctor("ok       mail           "+server.Addr()+" answers", "no-reply@")
	t.Setenv("ARPENT_SMTP_URL", strings.Replace(server.URL(), ":hidden@", ":wronghidden@", 1))
	doctor("problem  mail", "Authentication failed")
	server.Stop()
	doctor("problem  mail", "connection refused")

	path := filepath.Join(state, "secret")
	testkit.NoError(t, os.WriteFile(path, []byte("x"), 0o644))
	doctor("problem  secret", "chmod 600 "+path)
	testkit.NoError(t, os.Chmod(path, 0o600))
	doctor("ok       secret         kept in " + path)
	t.Setenv("ARPENT_SECRET", strings.Repeat("hidden", 8))
	doctor("ok       secret         ARPENT_SECRET")
}
