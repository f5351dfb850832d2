package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"arpent/api/ingest"
	"arpent/app/dev/testkit"
)

// run runs a command and gives what it prints.
func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&out)
	err := root.ExecuteContext(t.Context())
	return out.String(), err
}

// stderr is what is written there meanwhile.
func stderr(t *testing.T, during func()) string {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer func(before *os.File) { os.Stderr = before }(os.Stderr)
	os.Stderr = file
	during()
	text, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A folder without files ends in a demonstration, made once; a slip in ARPENT_DATA stops instead, and production is left alone.
func TestPrepare(t *testing.T) { // not parallel: commands read the environment
	pool, url := testkit.DB(t)
	t.Setenv("ARPENT_DATABASE_URL", url)
	t.Setenv("ARPENT_STATE_DIR", t.TempDir())
	t.Setenv("ARPENT_DATA", t.TempDir())
	t.Chdir(testkit.Root(t)) // the names and codes come from the npm package
	loads := func() (n int, demonstration bool) {
		t.Helper()
		if err := pool.QueryRow(t.Context(), "SELECT count(*), coalesce(bool_or(demonstration), false) FROM geo.load").Scan(&n, &demonstration); err != nil {
			t.Fatal(err)
		}
		return n, demonstration
	}
	t.Setenv("ARPENT_MODE", "production")
	if _, err := run(t, "prepare"); err != nil {
		t.Fatal(err)
	}
	if n, _ := loads(); n != 0 {
		t.Errorf("%d loads in production", n)
	}
	t.Setenv("ARPENT_MODE", "development")
	said := stderr(t, func() {
		if _, err := run(t, "prepare"); err != nil {
			t.Fatal(err)
		}
	})
	if strings.Count(said, "cog-regions") != 1 || !strings.Contains(said, "cog-regions: 18 rows in ") {
		t.Errorf("a load is not said once, in a line:\n%s", said)
	}
	first, demonstration := loads()
	if !demonstration {
		t.Fatal("without files there is no demonstration")
	}
	if _, err := run(t, "prepare"); err != nil {
		t.Fatal(err)
	}
	if again, _ := loads(); again != first {
		t.Errorf("%d loads, after another start %d", first, again)
	}
	missing := filepath.Join(t.TempDir(), "dtaa")
	t.Setenv("ARPENT_DATA", missing)
	if _, err := run(t, "prepare"); err == nil || !strings.Contains(err.Error(), "ARPENT_DATA is "+missing) {
		t.Errorf("with a folder that is none: %v", err)
	}
}

// Whoever forgot to migrate reads it in words.
func TestDemoBeforeMigrate(t *testing.T) { // not parallel: commands read the environment
	pool, url := testkit.DB(t)
	if _, err := pool.Exec(t.Context(), "DROP SCHEMA geo CASCADE; DROP SCHEMA account CASCADE"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ARPENT_DATABASE_URL", url)
	t.Setenv("ARPENT_STATE_DIR", t.TempDir())
	if out, err := run(t, "demo"); err == nil || err.Error() != "the database has no tables yet: run `arpent migrate`" || out != "" {
		t.Errorf("%v, prints %q", err, out)
	}
}

// Files that were refused are not said to be missing: whoever put them there would look in the wrong place.
func TestWhyADemonstrationIsServed(t *testing.T) {
	t.Parallel()
	cog := ingest.Outcome{Source: "cog-communes", State: ingest.Loaded}
	refused := ingest.Outcome{Source: "contours-communes", State: ingest.Refused}
	fault := errors.New("refused")
	for _, c := range []struct {
		outcomes []ingest.Outcome
		fault    error
		missing  bool
	}{
		{nil, nil, true}, {[]ingest.Outcome{cog}, nil, true}, {[]ingest.Outcome{cog}, fault, true},
		{[]ingest.Outcome{cog, refused}, fault, false}, {nil, fault, false},
	} {
		if why, _ := whyDemonstration(c.outcomes, c.fault); strings.HasPrefix(why, "no data files") != c.missing {
			t.Errorf("%v, %v: %s", c.outcomes, c.fault, why)
		}
	}
}
