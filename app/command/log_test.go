package command

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

// In development a person reads the log: the time of day, the message and what belongs to it, and no JSON.
func TestLogIsLinesForPeople(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := slog.New(newLineHandler(&out, slog.LevelInfo))
	log.Debug("left out")
	log.With("instance", "a b").WithGroup("of").Warn("snapshot kept", "level", 3, "msg", "why")
	log.Info("serving")
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	want := []string{` WARN snapshot kept  instance="a b" of.level=3 of.msg=why`, " serving"}
	if len(lines) != len(want) {
		t.Fatalf("%d lines:\n%s", len(lines), out.String())
	}
	for i, line := range lines {
		if clock, rest := line[:len("15:04:05")], line[len("15:04:05"):]; strings.Count(clock, ":") != 2 || rest != want[i] {
			t.Errorf("line %d is %q, want a time and %q", i, line, want[i])
		}
	}

	out.Reset()
	const request = `{"time":"2026-01-02T03:04:05.678Z","level":"INFO","msg":"request","request_id":"r","operation":"get_commune",` +
		`"method":"GET","status":200,"bytes":120,"duration_us":1500}` + "\n"
	if _, err := (requestLineWriter{&out}).Write([]byte(request + request)); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Count(got, " GET get_commune  status=200 bytes=120 took=1.5ms\n") != 2 {
		t.Errorf("requests are %q", got)
	}
}
