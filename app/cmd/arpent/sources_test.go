package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/topic"
)

// An operator reads at a glance what is loaded and what could be; the many sources without a
// file are a word away, and a program gets all.
func TestSourcesCommand(t *testing.T) { // not parallel: commands read the environment
	_, url := testkit.DB(t)
	data := t.TempDir()
	if err := os.MkdirAll(filepath.Join(data, "radon"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "radon", "radon.csv"), []byte("insee_com;classe_potentiel\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ARPENT_DATABASE_URL", url)
	t.Setenv("ARPENT_DATA", data)
	t.Setenv("ARPENT_STATE_DIR", t.TempDir())

	short := mustRun(t, "sources")
	expectParts(t, short, "radon ", "files found, not loaded", "more have no file: arpent sources --all lists them.")
	if strings.Contains(short, "travel-times") || strings.Count(short, "\n") > 20 {
		t.Errorf("it lists\n%s", short)
	}
	expectParts(t, mustRun(t, "sources", "--all"), "radon ", "travel-times", "There is no public bulk source.")
	var all []ingest.SourceStatus
	if err := json.Unmarshal([]byte(mustRun(t, "sources", "--json")), &all); err != nil || len(all) != len(topic.Sources()) {
		t.Errorf("%d sources of %d as JSON, %v", len(all), len(topic.Sources()), err)
	}
}
