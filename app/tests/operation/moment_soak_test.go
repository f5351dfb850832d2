//go:build soak

package operation_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/harness"
	"arpent/app/dev/testkit"
)

// A database is brought back to the moment before a mistake, with the documented commands: what was there at
// that moment is there, what came after it is not.
func TestSoakPointInTime(t *testing.T) {
	programs, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(programs) == 0 {
		t.Skip("PostgreSQL of Debian is not installed")
	}
	where, err := os.MkdirTemp("/var/tmp", "arpent-moment-") // a short path, for the socket
	testkit.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(where) })
	in := func(name string) string { return filepath.Join(where, name) }
	binary := testkit.Must(harness.Build(t.Context(), t.TempDir()))(t)
	address := fmt.Sprintf("postgres://arpent@/%%s?host=%s", where)
	moment := ""
	// PostgreSQL refuses to be run by root.
	var owner []string
	if os.Geteuid() == 0 {
		owner = []string{"runuser", "-u", "postgres", "--"}
		if out, err := exec.Command("chown", "postgres", where).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	shell := func(script string) {
		t.Helper()
		args := append(append([]string{}, owner...), "sh", "-exc", script)
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir = where
		cmd.Env = append(os.Environ(), "PATH="+programs[len(programs)-1]+":"+os.Getenv("PATH"), "PGDATA="+in("data"), "ARCHIVE="+in("archive"), "COPY="+in("copy"),
			"ADMIN_URL="+fmt.Sprintf(address, "postgres"), "MOMENT="+moment)
		if out, err := cmd.CombinedOutput(); err != nil {
			log, _ := os.ReadFile(in("log"))
			t.Fatalf("%v\n%s\n%s", err, out, log)
		}
	}
	start := "pg_ctl --log=log --options=\"-c listen_addresses= -c unix_socket_directories=" + where + "\" --wait start >/dev/null 2>&1"
	t.Cleanup(func() {
		stop := exec.Command("sh", "-c", strings.Join(append(append([]string{}, owner...), programs[len(programs)-1]+"/pg_ctl", "-D", in("data"), "-m", "immediate", "stop"), " "))
		_ = stop.Run() // it may be stopped already
	})

	shell("mkdir archive; initdb --username=arpent --auth=trust >/dev/null")
	setUp, copyFiles, found := strings.Cut(commands(t, "## To a moment"), "pg_basebackup")
	if !found {
		t.Fatal("no pg_basebackup is documented")
	}
	shell(setUp + start + "\ncreatedb --maintenance-db=\"$ADMIN_URL\" arpent")
	program := harness.Program{Path: binary, Log: os.Stderr, Env: []string{"ARPENT_DATABASE_URL=" + fmt.Sprintf(address, "arpent"),
		"ARPENT_STATE_DIR=" + t.TempDir(), "ARPENT_SECRET=a secret of thirty-two letters or more", "ARPENT_LOG_LEVEL=error"}}
	if out, err := program.Run(t.Context(), "migrate"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	account := func(email string) {
		t.Helper()
		_, err := program.Account(t.Context(), email, harness.Limits{PerMinute: 10, EnrichmentsPerMinute: 10, PerDay: 10})
		testkit.NoError(t, err)
	}
	account("before-the-copy@exemple.fr")
	shell("pg_basebackup" + copyFiles)
	account("after-the-copy@exemple.fr")
	time.Sleep(50 * time.Millisecond) // the moment lies between what is kept and the mistake
	moment = time.Now().UTC().Format("2006-01-02 15:04:05.000000+00")
	time.Sleep(50 * time.Millisecond)
	account("after-the-moment@exemple.fr")
	shell(`psql -v ON_ERROR_STOP=1 -d "$ADMIN_URL" -c 'SELECT pg_switch_wal()' >/dev/null
psql -v ON_ERROR_STOP=1 "` + fmt.Sprintf(address, "arpent") + `" -c "UPDATE account.account SET plan = 'free'" >/dev/null
pg_ctl --mode=fast --wait stop >/dev/null`)

	shell(commands(t, "## Back to a moment") + start)
	testkit.Eventually(t, time.Minute, "the end of the recovery", func() bool {
		out, err := program.Run(t.Context(), "account", "list")
		return err == nil && strings.Contains(out, "before-the-copy")
	})
	accounts := testkit.Must(program.Run(t.Context(), "account", "list"))(t)
	t.Log(accounts)
	if !strings.Contains(accounts, "after-the-copy@") || strings.Contains(accounts, "after-the-moment@") || strings.Count(accounts, " pro ") != 2 {
		t.Errorf("the accounts are not those of the moment:\n%s", accounts)
	}
	testkit.Eventually(t, time.Minute, "a database that can be written to", func() bool {
		_, err := program.Run(t.Context(), "account", "confirm", "--email", "after-the-copy@exemple.fr")
		return err == nil
	})
}
