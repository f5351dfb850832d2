package main

import (
	"net"
	"strings"
	"testing"

	"arpent/app/testkit"
)

// Whoever is stuck learns what is wrong and what to do about it, all of it at once, and a script learns it from the
// exit status. No password is shown.
func TestDoctor(t *testing.T) { // not parallel: commands read the environment
	_, url := testkit.DB(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0") // not HTTP: another program has the port
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	go func() {
		for conn, err := taken.Accept(); err == nil; conn, err = taken.Accept() {
			conn.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	t.Setenv("ARPENT_DATABASE_URL", url)
	t.Setenv("ARPENT_MODE", "development")
	t.Setenv("ARPENT_STATE_DIR", t.TempDir())
	t.Setenv("PORT", port)

	out, err := arpent(t, "", "doctor")
	if err == nil {
		t.Error("a taken port is no failure")
	}
	contains(t, out, "ok       database", "ok       schema         up to date", "problem  port", "set PORT to a free one")

	t.Setenv("ARPENT_DATABASE_URL", "postgres://someone:hidden@127.0.0.1:"+port+"/arpent?sslmode=disable")
	out, err = arpent(t, "", "doctor")
	if err == nil {
		t.Error("a database that does not answer is no failure")
	}
	contains(t, out, "problem  database", "ARPENT_DATABASE_URL")
	if strings.Contains(out, "hidden") {
		t.Errorf("the password is shown:\n%s", out)
	}

	t.Setenv("ARPENT_LOG_LEVEL", "loud")
	t.Setenv("ARPENT_DATABASE_CONNS", "1")
	out, err = arpent(t, "", "doctor")
	if err == nil {
		t.Error("wrong settings are no failure")
	}
	contains(t, out, "problem  configuration", "ARPENT_LOG_LEVEL", "ARPENT_DATABASE_CONNS")
}

func contains(t *testing.T, out string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(out, part) {
			t.Errorf("no %q in:\n%s", part, out)
		}
	}
}
