package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"arpent/api/ingest"
	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
)

// An operator fetches a commune once; from then on one command asks for it again, loads it, and says what became of it.
func TestUpdateCommand(t *testing.T) { // not parallel: commands read the environment
	_, url := testkit.DB(t)
	var parcels atomic.Pointer[string]
	serve := func(features ...string) {
		content := loadkit.Zipped(loadkit.Collection(features...))
		parcels.Store(&content)
	}
	serve(loadkit.Parcel(1, 10), loadkit.Parcel(2, 20))
	producers := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name, names := strings.CutPrefix(r.URL.Path, "/unpkg.com/"); names {
			http.ServeFile(w, r, filepath.Join("node_modules", strings.Replace(name, "@latest", "", 1)))
			return
		}
		if !strings.HasSuffix(r.URL.Path, "/communes/01/01001/cadastre-01001-parcelles.json.gz") {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(*parcels.Load()))
	}))
	t.Cleanup(producers.Close)
	state := t.TempDir()
	for name, value := range map[string]string{"ARPENT_DATABASE_URL": url, "ARPENT_STATE_DIR": state, "ARPENT_DATA": t.TempDir(), "ARPENT_MIRROR": producers.URL,
		"ARPENT_CONTACT_EMAIL": "ops@example.org"} {
		t.Setenv(name, value)
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root) // where the package of names and codes is

	if _, err := arpent(t, "", "update"); err == nil || !strings.Contains(err.Error(), "nothing was fetched yet") {
		t.Errorf("without anything: %v", err)
	}
	done(t, "fetch", "parcelles-etalab", "--commune", "01001")
	contains(t, done(t, "update"), "4 files asked for", "4 loaded", "0 replaced files deleted")
	contains(t, done(t, "update"), "0 loaded (0 rows", "4 unchanged")
	contains(t, done(t, "update", "--dry-run"), "parcelles-etalab of 01001", "cadastre-01001-parcelles.json.gz")

	serve(loadkit.Parcel(1, 10))
	out, err := arpent(t, "", "update")
	if err == nil {
		t.Error("a source that got worse is no error")
	}
	contains(t, out, "Not brought up to date", "it has 1 rows, 50.0 % fewer than the 2 that are served", "arpent load")
	contains(t, done(t, "mail", "list"), "sources_kept", "ops@example.org")
	var all []ingest.SourceStatus
	if err := json.Unmarshal([]byte(done(t, "sources", "--json")), &all); err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.Name == "parcelles-etalab" && (!s.Late || s.CheckedAt == nil || s.Rhythm != "quarterly" || s.Rows != 2 || !strings.Contains(s.Problem, "fewer")) {
			t.Errorf("%+v", s)
		}
	}
	if _, err := arpent(t, "", "load", "--force"); err == nil || !strings.Contains(err.Error(), "50.0 % fewer") {
		t.Errorf("whoever loads everything again gets the worse file, too: %v", err)
	}
	if _, err := arpent(t, "", "load", "parcelles-etalab", "dvf", "--departement", "01"); err == nil || !strings.HasPrefix(err.Error(), "no file of dvf 01 is in ") {
		t.Errorf("a source without a file: %v", err)
	}
	contains(t, done(t, "update", "--json"), `"problems": []`, `"unchanged": 4`)
	if _, err := os.Stat(filepath.Join(state, "downloads", "requests.jsonl")); err != nil {
		t.Error(err)
	}
}

// Whoever has the program alone fetches a département with one command: the names of its communes, which some producers have to
// be asked for one by one, are fetched before.
func TestFetchWithoutNames(t *testing.T) { // not parallel: commands read the environment
	packages := filepath.Join(testkit.Root(t), "node_modules")
	var asked struct {
		sync.Mutex
		paths []string
	}
	producers := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Lock()
		asked.paths = append(asked.paths, r.URL.String())
		asked.Unlock()
		if name, names := strings.CutPrefix(r.URL.Path, "/unpkg.com/"); names {
			http.ServeFile(w, r, filepath.Join(packages, strings.Replace(name, "@latest", "", 1)))
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(producers.Close)
	for name, value := range map[string]string{"ARPENT_DATA": t.TempDir(), "ARPENT_STATE_DIR": t.TempDir(), "ARPENT_MIRROR": producers.URL} {
		t.Setenv(name, value)
	}
	t.Chdir(t.TempDir()) // no folder has the names: neither that of the data nor that of packages
	contains(t, done(t, "fetch", "gpu-zones", "--departement", "75"), "0 failed")
	out, _ := arpent(t, "", "doctor")
	contains(t, out, "ok       commune codes  ")
	if _, err := arpent(t, "", "fetch", "gpu-zones", "--json"); err == nil || !strings.Contains(err.Error(), "--dry-run") {
		t.Errorf("JSON that is none: %v", err)
	}
	got := strings.Join(asked.paths, "\n")
	if names, documents := strings.Index(got, "/communes.json"), strings.Index(got, "DU_75056"); names < 0 || documents < names {
		t.Errorf("asked in this order:\n%s", got)
	}
}
