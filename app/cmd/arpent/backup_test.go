package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
)

// A backup is whole and the newest ones stay; without that an operator would find out on the day of the
// loss. A database that has accounts is never overwritten.
func TestBackupCommand(t *testing.T) { // not parallel: commands read the environment
	_, url := testkit.DB(t)
	t.Setenv("ARPENT_DATABASE_URL", url)
	t.Setenv("ARPENT_STATE_DIR", t.TempDir())
	t.Setenv("ARPENT_SECRET", strings.Repeat("s", 32))
	mustRun(t, "account", "create", "--email", "a@example.org", "--plan", "free", "--confirmed")
	dir := filepath.Join(t.TempDir(), "backups")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"arpent-20250101T000000Z.dump", "arpent-20250101T000000Z.secret",
		"arpent-20250102T000000Z.dump", "another.dump"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	expectParts(t, mustRun(t, "backup", dir, "--keep", "2"), "verified by a restore",
		"in ARPENT_SECRET and not part of the backup",
		"deleted "+filepath.Join(dir, "arpent-20250101T000000Z.dump"))
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
	t.Setenv("PATH", t.TempDir())
	if _, err := runArpent(t, "", "backup", dir); err == nil ||
		!strings.Contains(err.Error(), "postgresql-client") {
		t.Errorf("without pg_dump: %v", err)
	}
	if drafts, _ := filepath.Glob(filepath.Join(dir, "*.new")); len(drafts) > 0 {
		t.Errorf("half a backup is left: %q", drafts)
	}
}
