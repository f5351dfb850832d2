package app_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"arpent/app"
	"arpent/app/dev/testkit"
	"arpent/internal/config"
)

// Second factors and links survive a restart: the secret is made once, by whichever start comes
// first, and no other user of the machine reads it.
func TestSimultaneousStartsMakeOneSecret(t *testing.T) {
	t.Parallel()
	c := config.Config{StateDir: filepath.Join(t.TempDir(), "state")}
	var all [8][]byte
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() {
			made, err := app.Secrets(c)
			if err != nil {
				t.Error(err)
				return
			}
			all[i] = made[0]
		})
	}
	wg.Wait()
	for _, s := range all {
		if len(s) != 32 || !bytes.Equal(s, all[0]) {
			t.Fatalf("%x and %x", s, all[0])
		}
	}
	path := filepath.Join(c.StateDir, "secret")
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st, err)
	}
	if left, _ := filepath.Glob(path + "-*"); len(left) > 0 {
		t.Errorf("drafts are left: %v", left)
	}
	testkit.NoError(t, os.WriteFile(path, []byte("half"), 0o600))
	if _, err := app.Secrets(c); err == nil {
		t.Error("a damaged file is taken, or replaced")
	}
}

// The same setting gives the same secret on every instance, and no file is needed.
func TestSecretOfTheEnvironment(t *testing.T) {
	t.Parallel()
	c := config.Config{StateDir: "/nowhere", Secret: "0123456789abcdef0123456789abcdef"}
	one, err := app.Secrets(c)
	if err != nil || len(one) != 1 || len(one[0]) != 32 {
		t.Fatalf("%x, %v", one, err)
	}
	c.Secret += "x"
	if other, err := app.Secrets(c); err != nil || bytes.Equal(one[0], other[0]) {
		t.Error("two settings give one secret")
	}
}

// A secret is replaced without losing what it made: whichever way it was given, the one before stays
// good, and the new one is what is used. What a single instance has made for itself stays good when
// its content, or another, becomes the setting.
func TestSecretsOfBefore(t *testing.T) {
	t.Parallel()
	secrets := func(c config.Config) [][]byte {
		t.Helper()
		return testkit.Must(app.Secrets(c))(t)
	}
	one, two := strings.Repeat("a", 32), strings.Repeat("b", 32)
	dir := t.TempDir()
	alone := secrets(config.Config{StateDir: dir})
	before, after := secrets(config.Config{StateDir: "/nowhere", Secret: config.Secret(one)}), secrets(config.Config{StateDir: "/nowhere", Secret: config.Secret(two + "," + one)})
	if len(after) != 2 || !bytes.Equal(after[1], before[0]) || bytes.Equal(after[0], before[0]) {
		t.Errorf("two settings: %x after %x", after, before)
	}
	made := testkit.Must(os.ReadFile(filepath.Join(dir, "secret")))(t)
	moved := secrets(config.Config{StateDir: "/nowhere", Secret: config.Secret(strings.TrimSpace(string(made)))})
	if len(moved) != 2 || !bytes.Equal(moved[1], alone[0]) {
		t.Errorf("the content of the file as the setting: %x, want also %x", moved, alone)
	}
	both := secrets(config.Config{StateDir: dir, Secret: config.Secret(one)})
	if len(both) != 2 || !bytes.Equal(both[0], before[0]) || !bytes.Equal(both[1], alone[0]) {
		t.Errorf("a setting and the file: %x", both)
	}
	fresh := strings.Repeat("0f", 32) + "\n"
	testkit.NoError(t, os.WriteFile(filepath.Join(dir, "secret"), append([]byte(fresh), made...), 0o600))
	if lines := secrets(config.Config{StateDir: dir}); len(lines) != 2 || !bytes.Equal(lines[1], alone[0]) {
		t.Errorf("two lines in the file: %x", lines)
	}
}
