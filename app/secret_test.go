package app_test

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"arpent/app"
	"arpent/app/config"
)

// Second factors and links survive a restart: the secret is made once, by whichever start comes first, and nobody else
// on the machine reads it.
func TestSecretIsMadeOnce(t *testing.T) {
	t.Parallel()
	c := config.Config{StateDir: filepath.Join(t.TempDir(), "state")}
	var all [8][]byte
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() {
			var err error
			if all[i], err = app.Secret(c); err != nil {
				t.Error(err)
			}
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
	if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := app.Secret(c); err == nil {
		t.Error("a damaged file is taken, or replaced")
	}
}

// The same setting gives the same secret on every instance, and no file is needed.
func TestSecretOfTheEnvironment(t *testing.T) {
	t.Parallel()
	c := config.Config{StateDir: "/nowhere", Secret: "0123456789abcdef0123456789abcdef"}
	one, err := app.Secret(c)
	if err != nil || len(one) != 32 {
		t.Fatalf("%x, %v", one, err)
	}
	c.Secret += "x"
	if other, _ := app.Secret(c); bytes.Equal(one, other) {
		t.Error("two settings give one secret")
	}
}
