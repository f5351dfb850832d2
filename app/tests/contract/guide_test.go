package contract_test

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"arpent/api"
	"arpent/api/recorded"
	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/web/guide"
)

// What the guide shows as answers is what this service answers to its calls, and its programs print what
// is shown: a reader who pastes them gets the same.
func recordedGuide(t *testing.T, s *fixture.Service, key string) {
	t.Helper()
	for _, c := range guide.Calls() {
		r := s.Get(api.Root+c.Path, "X-API-Key", key)
		if r.Status != http.StatusOK {
			t.Errorf("%s: %s answers %d: %s", c.Name, c.Path, r.Status, r.Body)
			continue
		}
		golden(t, recorded.File(c.Name), r.Body)
	}
	for _, sample := range guide.Samples() {
		if needs := strings.Fields(sample.Needs); len(needs) > 0 && exec.CommandContext(t.Context(), needs[0], needs[1:]...).Run() != nil {
			t.Run(sample.File, func(t *testing.T) { t.Skipf("not run here, where this fails: %s", sample.Needs) })
			continue
		}
		golden(t, recorded.OutputFile(sample.Recorded()), runSample(t, s, sample, key))
	}
}

// runSample runs a program as the page shows it, in an empty folder, and returns what it prints.
func runSample(t *testing.T, s *fixture.Service, sample guide.Sample, key string) []byte {
	t.Helper()
	dir := t.TempDir()
	testkit.NoError(t, os.WriteFile(filepath.Join(dir, sample.File), []byte(sample.Code(s.Base)), 0o600))
	words := strings.Fields(sample.Command)
	cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "ARPENT_KEY="+key, "PYTHONIOENCODING=utf-8", "LC_ALL=C.UTF-8")
	cmd.Stdin = strings.NewReader(sample.InputText())
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil || problems.Len() > 0 {
		t.Errorf("%s: %v: %s", sample.Command, err, &problems)
	}
	return bytes.TrimRight(bytes.ReplaceAll(out, []byte(s.Base), []byte(recorded.Base)), "\n")
}
