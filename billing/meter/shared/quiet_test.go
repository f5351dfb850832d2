package shared_test

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/billing/meter/shared"
)

// The log stays lines of one form while Redis is away: the library of its client writes none of its own.
func TestLibraryWritesNoLines(t *testing.T) {
	t.Parallel()
	const away = "ARPENT_TEST_REDIS_AWAY"
	if os.Getenv(away) != "" { // in the process that is started below
		client := testkit.Must(shared.Client("redis://127.0.0.1:1/0"))(t)
		defer client.Close()
		if client.Ping(t.Context()).Err() == nil {
			t.Fatal("there is a Redis at port 1")
		}
		return
	}
	program := testkit.Must(os.Executable())(t)
	var written bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program, "-test.run=^TestLibraryWritesNoLines$")
	cmd.Env, cmd.Stderr = append(os.Environ(), away+"=1"), &written
	if err := cmd.Run(); err != nil || written.Len() > 0 {
		t.Errorf("%v; it wrote %q", err, written.String())
	}
}
