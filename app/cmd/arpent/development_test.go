package main

import (
	"bytes"
	"context"
	neturl "net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/internal/config"
	"arpent/internal/opendata/source"
)

// A wrong ARPENT_DATA stops what reads it: the starter data would be served in place of the operator's files.
func TestDataFolderThatIsNone(t *testing.T) { // not parallel: commands read the environment
	_, url := testkit.DB(t)
	t.Setenv("ARPENT_DATABASE_URL", url)
	t.Setenv("ARPENT_MODE", "development")
	t.Setenv("ARPENT_STATE_DIR", t.TempDir())
	missing := filepath.Join(t.TempDir(), "dtaa")
	t.Setenv("ARPENT_DATA", missing)
	for _, command := range []string{"serve", "load"} {
		if _, err := runArpent(t, "", command); err == nil || !strings.Contains(err.Error(), "ARPENT_DATA is "+missing) {
			t.Errorf("arpent %s: %v", command, err)
		}
	}
	out, _ := runArpent(t, "", "doctor") // other findings depend on the machine
	expectParts(t, out, "problem  data ", "ARPENT_DATA is "+missing)
}

// The server of a developer answers statistics and searches from its first request on: what is in the box is
// loaded and indexed before it listens, and a second start finds all of it done.
func TestDevelopmentStartsFromTheBox(t *testing.T) { // not parallel: commands read the environment
	pool, url := testkit.DB(t)
	folder := t.TempDir()
	testkit.NoError(t, os.CopyFS(filepath.Join(folder, "data", "cog"), os.DirFS(filepath.Join(testkit.Root(t), "data", "cog"))))
	t.Chdir(folder)
	e := &env{config: config.Config{DatabaseURL: config.Secret(url), DatabaseConns: 4, StateDir: t.TempDir()}}
	const loads = "SELECT count(*) FROM geo.load"
	var first int
	for range 2 { // the account is there the second time
		testkit.NoError(t, prepareDevelopment(t.Context(), e))
		if first == 0 {
			first = testkit.Count(t, pool, loads)
		}
	}
	if n := testkit.Count(t, pool, loads); n != first || n < 3 {
		t.Errorf("%d loads after the first start, %d after the second", first, n)
	}
	held := testkit.Must(describeData(t.Context(), e.config, pool))(t)
	expectParts(t, strings.Join(held, "\n"), "communes: 34875, outlines of 0", "addresses: 0 streets and localities, ", "of 34875 communes")
}

// Sources of one group write the same tables: they must not be loaded side by side, and none may be left out.
// The group that is loaded the longest decides when the first start ends: it begins first.
func TestLoadsOfOneGroupFollowEachOther(t *testing.T) {
	t.Parallel()
	all := []source.Source{{Name: "cog-communes", Group: "cog"}, {Name: "a", Group: "g"}, {Name: "b"}, {Name: "c", Group: "g"}, {Name: "d"},
		{Name: "etalab", Group: "parcels"}, {Name: "other"}}
	got := groupSources(all, map[string]int64{"cog-communes": 9, "a": 2, "b": 4, "c": 3, "d": 2})
	if want := [][]string{{"a", "c"}, {"b"}, {"d"}, {"etalab"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("groups %v, want %v", got, want)
	}
	all = append(all, source.Source{Name: "contours-communes", Group: "contours"}, source.Source{Name: "plan", After: []string{"contours-communes"}})
	got = groupSources(all, map[string]int64{"contours-communes": 1, "b": 5, "plan": 1})
	if want := [][]string{{"b"}, {"contours-communes", "plan"}, {"etalab"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("with outlines: %v, want %v", got, want)
	}
	if got := groupSources(all, nil); !reflect.DeepEqual(got, [][]string{{"etalab"}}) {
		t.Errorf("without a box: %v", got)
	}
}

// The command that is printed makes a key in the database that is served, and shows no password.
func TestStartIsPrinted(t *testing.T) { // not parallel: it reads the environment
	exe := testkit.Must(os.Executable())(t)
	t.Setenv("ARPENT_STATE_DIR", "/tmp/my state")
	e := &env{config: config.Config{ServiceName: "Arpent", BaseURL: "http://127.0.0.1:1"}}
	var out bytes.Buffer
	t.Setenv("MAKELEVEL", "")
	printStart(&out, e, []string{"communes: 1", "parcels: 2"}, "http://127.0.0.1:1/dev/mail?token=T")
	expectParts(t, out.String(), "Served      communes: 1\n              parcels: 2\n",
		"More        ARPENT_STATE_DIR='/tmp/my state' "+exe+" fetch core parcels addresses sales --departement 35", "ARPENT_STATE_DIR='/tmp/my state' "+exe+" key create --account dev@example.org --name mine\n", "http://127.0.0.1:1/dev/mail?token=T\n")

	out.Reset()
	e.config.DatabaseURL = "postgres://someone:hidden@127.0.0.1/arpent"
	printStart(&out, e, nil, "")
	expectParts(t, out.String(), "Make a key  "+exe+" key create", "ARPENT_DATABASE_URL")
	if strings.Contains(out.String(), "hidden") || strings.Contains(out.String(), "STATE_DIR") {
		t.Error(out.String())
	}

	t.Chdir(filepath.Dir(filepath.Dir(exe)))
	t.Setenv("MAKELEVEL", "1")
	out.Reset()
	printStart(&out, e, nil, "")
	rel := testkit.Must(filepath.Rel(filepath.Dir(filepath.Dir(exe)), exe))(t)
	expectParts(t, out.String(), "Make a key  "+rel+" key create", "More        make run DEPARTEMENT=35\n")
}

// A user who forgot to migrate reads it from each command, in words.
func TestCommandsBeforeMigrate(t *testing.T) { // not parallel: commands read the environment
	pool, url := testkit.DB(t)
	testkit.Exec(t, pool, "DROP SCHEMA geo CASCADE; DROP SCHEMA account CASCADE")
	data := t.TempDir()
	testkit.NoError(t, os.MkdirAll(filepath.Join(data, "territory", "cog"), 0o755))
	testkit.NoError(t, os.WriteFile(filepath.Join(data, "territory", "cog", "regions.json"), []byte("[]"), 0o600))
	t.Setenv("ARPENT_DATABASE_URL", url)
	t.Setenv("ARPENT_DATA", data)
	t.Setenv("ARPENT_STATE_DIR", t.TempDir())
	for _, command := range []string{"load", "sources", "account list", "usage --account me@exemple.fr"} {
		out, err := runArpent(t, "", strings.Fields(command)...)
		if err == nil || err.Error() != "the database has no tables yet: run `arpent migrate`" || out != "" {
			t.Errorf("arpent %s: %v, prints %q", command, err, out)
		}
	}
}

// A user who loads or migrates with the address of a server that may only serve reads which setting is
// missing; whose server of PostgreSQL has no roles yet reads that the migration makes them.
func TestCommandsWithoutRights(t *testing.T) { // not parallel: commands read the environment
	pool, url := testkit.DB(t)
	user := pool.Config().ConnConfig.Database + "_serving"
	testkit.Exec(t, pool, "CREATE USER "+user+" IN ROLE arpent_serve, arpent_read")
	t.Cleanup(func() {
		if _, err := pool.Exec(context.WithoutCancel(t.Context()), "DROP USER "+user); err != nil {
			t.Error(err)
		}
	})
	address := testkit.Must(neturl.Parse(url))(t)
	address.User = neturl.User(user)
	t.Setenv("ARPENT_DATABASE_URL", address.String())
	t.Setenv("ARPENT_DATA", t.TempDir())
	t.Setenv("ARPENT_STATE_DIR", t.TempDir())
	mustRun(t, "account", "list")
	for _, name := range []string{"load", "sources", "migrate"} {
		if _, err := runArpent(t, "", name); err == nil || !strings.Contains(err.Error(), "set ARPENT_DATABASE_OWNER_URL") {
			t.Errorf("arpent %s: %v", name, err)
		}
	}
	query := address.Query()
	query.Set("options", "-crole=unknown_role")
	address.RawQuery = query.Encode()
	t.Setenv("ARPENT_DATABASE_URL", address.String())
	if _, err := runArpent(t, "", "account", "list"); err == nil || !strings.Contains(err.Error(), "run `arpent migrate`") {
		t.Errorf("a role that there is not: %v", err)
	}
}
