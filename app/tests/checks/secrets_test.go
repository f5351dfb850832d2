package checks_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
)

// secretForms are secrets that are known by their form, each with what it begins with, by which it is found.
// make lint looks for many more, and in the whole history.
var secretForms = map[string]*regexp.Regexp{
	"-----BEGIN":  regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[A-Za-z0-9+/=]{40}`),
	"AKIA":        regexp.MustCompile(`\bAKIA[A-Z2-7]{16}\b`),
	"AIza":        regexp.MustCompile(`\bAIza[\w-]{35}\b`),
	"ghp_":        regexp.MustCompile(`\bghp_[A-Za-z0-9]{36}\b`),
	"github_pat_": regexp.MustCompile(`\bgithub_pat_\w{50,}`),
	"glpat-":      regexp.MustCompile(`\bglpat-[\w-]{20,}`),
	"GOCSPX-":     regexp.MustCompile(`\bGOCSPX-[\w-]{28}\b`),
	"npm_":        regexp.MustCompile(`\bnpm_[A-Za-z0-9]{36}\b`),
	"k_live_":     regexp.MustCompile(`\b[sr]k_live_[A-Za-z0-9]{20,}`),
	"k_test_":     regexp.MustCompile(`\b[sr]k_test_[A-Za-z0-9]{24,}`),
	"whsec_":      regexp.MustCompile(`\bwhsec_[A-Za-z0-9+/]{32,}`),
	"xox":         regexp.MustCompile(`\bxox[abpr]-\d{8,}-[\w-]{10,}`),
}

// The project contains no secret of an account at a provider: every copy of the project would disclose it.
func TestNoSecretsInTheProject(t *testing.T) {
	t.Parallel()
	root := testkit.Root(t)
	list := exec.CommandContext(t.Context(), "git", "-c", "safe.directory=*", "ls-files", "-z")
	list.Dir = root
	out := testkit.Must(list.Output())(t)
	files := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(files) < 500 {
		t.Fatalf("git lists %d files", len(files))
	}
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // removed, and not yet committed
		}
		testkit.NoError(t, err)
		for _, form := range secretsIn(text) {
			t.Errorf("%s holds a secret that begins with %s", name, form)
		}
	}
}

func secretsIn(text []byte) (found []string) {
	for beginning, form := range secretForms {
		if bytes.Contains(text, []byte(beginning)) && form.Match(text) {
			found = append(found, beginning)
		}
	}
	return found
}

// The check itself finds what it is there for, and nothing in what stands for a secret.
func TestSecretsAreReported(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"key = \"sk_live_" + strings.Repeat("4eC39Hq", 4) + "\"":                          1,
		"-----BEGIN RSA PRIVATE" + " KEY-----\n" + strings.Repeat("MIIEow", 10):           1,
		"gh" + "p_" + strings.Repeat("a1B2", 9) + " and AKIA" + strings.Repeat("ABC2", 4): 2,
		"ARPENT_STRIPE_KEY=sk_live_… or sk_test_123":                                      0,
	} {
		if got := secretsIn([]byte(text)); len(got) != want {
			t.Errorf("%q: %q, want %d", text, got, want)
		}
	}
}
