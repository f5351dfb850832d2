package main

import (
	"bytes"
	"context"
	"log/slog"
	neturl "net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"arpent/app/base/config"
	"arpent/app/dev/testkit"
)

// A slip in ARPENT_DATA stops what reads it, instead of serving a demonstration in place of somebody's files.
func TestDataFolderThatIsNone(t *testing.T) { // not parallel: commands read the environment
	_, url := testkit.DB(t)
	t.Setenv("ARPENT_DATABASE_URL", url)
	t.Setenv("ARPENT_MODE", "development")
	t.Setenv("ARPENT_STATE_DIR", t.TempDir())
	missing := filepath.Join(t.TempDir(), "dtaa")
	t.Setenv("ARPENT_DATA", missing)
	for _, command := range []string{"serve", "load"} {
		if _, err := arpent(t, "", command); err == nil || !strings.Contains(err.Error(), "ARPENT_DATA is "+missing) {
			t.Errorf("arpent %s: %v", command, err)
		}
	}
	out, _ := arpent(t, "", "doctor") // other findings depend on the machine
	contains(t, out, "problem  data ", "ARPENT_DATA is "+missing)
}

// A server of a developer without data answers nothing: its log says how to get there.
func TestDevelopmentWithoutData(t *testing.T) { // not parallel: it changes the log
	_, url := testkit.DB(t)
	var log bytes.Buffer
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	e := &env{config: config.Config{DatabaseURL: config.Secret(url), DatabaseConns: 4, DataDir: t.TempDir(), StateDir: t.TempDir()}}
	for range 2 { // the account is there the second time
		if err := prepareDevelopment(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	contains(t, log.String(), "no outlines are loaded", "arpent-dev prepare")
}

// The command that is printed makes a key in the database that is served, and shows no password.
func TestStartIsPrinted(t *testing.T) { // not parallel: it reads the environment
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("ARPENT_STATE_DIR", "/tmp/my state")
	e := &env{config: config.Config{ServiceName: "Arpent", BaseURL: "http://127.0.0.1:1"}}
	var out bytes.Buffer
	printStart(&out, e, "http://127.0.0.1:1/dev/mail?token=T")
	contains(t, out.String(), "ARPENT_STATE_DIR='/tmp/my state' "+exe+" key create --account dev@example.org --name mine\n", "http://127.0.0.1:1/dev/mail?token=T\n")

	out.Reset()
	e.config.DatabaseURL = "postgres://someone:hidden@127.0.0.1/arpent"
	printStart(&out, e, "")
	contains(t, out.String(), "Make a key  "+exe+" key create", "ARPENT_DATABASE_URL")
	if strings.Contains(out.String(), "hidden") || strings.Contains(out.String(), "STATE_DIR") {
		t.Error(out.String())
	}

	t.Chdir(filepath.Dir(filepath.Dir(exe)))
	out.Reset()
	printStart(&out, e, "")
	rel, err := filepath.Rel(filepath.Dir(filepath.Dir(exe)), exe)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, out.String(), "Make a key  "+rel+" key create")
}

// Whoever forgot to migrate reads it from each command, in words.
func TestCommandsBeforeMigrate(t *testing.T) { // not parallel: commands read the environment
	pool, url := testkit.DB(t)
	if _, err := pool.Exec(t.Context(), "DROP SCHEMA geo CASCADE; DROP SCHEMA account CASCADE"); err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	if err := os.MkdirAll(filepath.Join(data, "territory", "cog"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "territory", "cog", "regions.json"), []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ARPENT_DATABASE_URL", url)
	t.Setenv("ARPENT_DATA", data)
	t.Setenv("ARPENT_STATE_DIR", t.TempDir())
	for _, command := range []string{"load", "sources", "account list", "usage --account me@exemple.fr"} {
		out, err := arpent(t, "", strings.Fields(command)...)
		if err == nil || err.Error() != "the database has no tables yet: run `arpent migrate`" || out != "" {
			t.Errorf("arpent %s: %v, prints %q", command, err, out)
		}
	}
}

// Whoever loads or migrates with the address of a server that may only serve reads which setting is missing; whose server of
// PostgreSQL has no roles yet reads that the migration makes them.
func TestCommandsWithoutRights(t *testing.T) { // not parallel: commands read the environment
	pool, url := testkit.DB(t)
	user := pool.Config().ConnConfig.Database + "_serving"
	if _, err := pool.Exec(t.Context(), "CREATE USER "+user+" IN ROLE arpent_serve, arpent_read"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := pool.Exec(context.WithoutCancel(t.Context()), "DROP USER "+user); err != nil {
			t.Error(err)
		}
	})
	address, err := neturl.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	address.User = neturl.User(user)
	t.Setenv("ARPENT_DATABASE_URL", address.String())
	t.Setenv("ARPENT_DATA", t.TempDir())
	t.Setenv("ARPENT_STATE_DIR", t.TempDir())
	done(t, "account", "list")
	for _, name := range []string{"load", "sources", "migrate"} {
		if _, err := arpent(t, "", name); err == nil || !strings.Contains(err.Error(), "set ARPENT_DATABASE_OWNER_URL") {
			t.Errorf("arpent %s: %v", name, err)
		}
	}
	query := address.Query()
	query.Set("options", "-crole=nobody_there")
	address.RawQuery = query.Encode()
	t.Setenv("ARPENT_DATABASE_URL", address.String())
	if _, err := arpent(t, "", "account", "list"); err == nil || !strings.Contains(err.Error(), "run `arpent migrate`") {
		t.Errorf("a role that there is not: %v", err)
	}
}
