package auth_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"arpent/auth"
)

// program writes a program that answers every task at once with that line.
func program(t *testing.T, answer string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hashes")
	script := "#!/bin/sh\nwhile read -r task; do echo '" + answer + "'; done\n"
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// A request may end at the very moment at which its password is judged: that costs the process that judged it, and
// never the server.
func TestRequestEndsAsItsPasswordIsJudged(t *testing.T) {
	t.Parallel()
	h := auth.NewHasher(1, 8).Elsewhere(program(t, `{"hash":"made"}`))
	for i := range 400 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*5*time.Microsecond)
		_, _ = h.Make(ctx, goodPassword)
		cancel()
	}
	if hash, err := h.Make(t.Context(), goodPassword); err != nil || hash == "" {
		t.Errorf("%q, %v", hash, err)
	}
}
