package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"arpent/app/dev/testkit"
)

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
	got := strings.Join(asked.paths, "\n")
	if names, documents := strings.Index(got, "/communes.json"), strings.Index(got, "DU_75056"); names < 0 || documents < names {
		t.Errorf("asked in this order:\n%s", got)
	}
}
