package operation_test

import (
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"arpent/app"
	"arpent/app/dev/fixture"
	"arpent/internal/config"
)

// An operator is warned that the proxy in front is not configured, before 20 wrong passwords of one visitor
// lock out all: from the server, from its next start and from arpent doctor, until the proxy is trusted: then
// it is believed, and nothing is noted. Requests that were not passed on are no reason.
func TestUntrustedProxyIsNoted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := fixture.Portal(t, func(c *config.Config) { c.StateDir = dir })
	configured := func(proxies ...string) config.Config { return config.Config{StateDir: dir, TrustedProxies: proxies} }
	s.Get("/api/v1")
	s.Get("/signin")
	if peer, _, ok := app.UntrustedProxy(configured()); ok {
		t.Fatalf("%s is noted, and has passed nothing on", peer)
	}
	s.Get("/signin", "X-Forwarded-For", "203.0.113.7")
	peer, seen, ok := app.UntrustedProxy(configured())
	if !ok || peer.String() != "127.0.0.1" || seen.IsZero() {
		t.Fatalf("not noted: %s %s %v", peer, seen, ok)
	}
	if _, _, ok := app.UntrustedProxy(configured("10.0.0.1", "127.0.0.0/8")); ok {
		t.Error("still noted, and it is trusted now")
	}
	noted, err := os.ReadFile(filepath.Join(dir, "untrusted-proxy"))
	if err != nil || strings.Contains(string(noted), "203.0.113.7") {
		t.Errorf("the file holds the address of a visitor, or is not there: %s %v", noted, err)
	}
	dir = t.TempDir()
	s.Run(func(c *config.Config) { c.StateDir, c.TrustedProxies = dir, []string{"127.0.0.1"} })
	s.Get("/api/v1", "X-Forwarded-For", "203.0.113.7")
	if _, _, ok := app.UntrustedProxy(configured()); ok {
		t.Error("a trusted proxy is noted")
	}
}

// Requests that an untrusted proxy passes on cost one line an hour, however many they are. A key that
// somebody has put where the client of an assistant is named is in no line.
func TestUntrustedProxyIsLoggedOnce(t *testing.T) { // not parallel: it reads the log of the process
	log, former := &fixture.Lines{}, slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(log, nil)))
	defer slog.SetDefault(former)
	s := fixture.Portal(t, nil)
	for range 50 {
		s.Get("/api/v1", "X-Forwarded-For", "203.0.113.7")
	}
	if n := strings.Count(log.String(), "forwarded header from untrusted peer"); n != 1 {
		t.Errorf("%d lines:\n%s", n, log.String())
	}
	const key = "a key in the wrong field"
	s.Get("/oauth/authorize?response_type=code&client_id=" + url.QueryEscape(key))
	if !strings.Contains(log.String(), "authorization request rejected") || strings.Contains(log.String(), key) {
		t.Error(log.String())
	}
}
