package app

import (
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"arpent/internal/config"
)

const (
	untrustedFile = "untrusted-proxy"
	// One line an hour is enough to be found, and does not let callers fill the log.
	untrustedEvery = time.Hour
	// What was not seen for so long is no longer so.
	untrustedKept = 7 * 24 * time.Hour
)

// untrustedLog notes that a peer on a private address names other addresses in X-Forwarded-For, and is not
// trusted to: most likely a proxy whose visitors all count as one, who share one limit. It is logged, and
// kept in a file of the state folder for the next start and arpent doctor.
type untrustedLog struct {
	path string
	last atomic.Int64 // Unix seconds of the last note
}

func newUntrustedLog(c config.Config) *untrustedLog {
	if peer, seen, ok := UntrustedProxy(c); ok {
		warnUntrusted(peer, seen)
	}
	return &untrustedLog{path: c.State(untrustedFile)}
}

func warnUntrusted(peer netip.Addr, seen time.Time) {
	slog.Warn("forwarded header from untrusted peer", "peer", peer.String(), "seen",
		seen.UTC().Format(time.RFC3339),
		"consequence", "all its visitors count as one address", "way_out",
		"if it is your proxy, add it to ARPENT_TRUSTED_PROXIES")
}

// recordPeer logs the peer of such a request and notes it for arpent doctor, once in untrustedEvery at most.
func (u *untrustedLog) recordPeer(peer netip.Addr) {
	now, last := time.Now(), u.last.Load()
	if now.Unix()-last < int64(untrustedEvery.Seconds()) || !u.last.CompareAndSwap(last, now.Unix()) {
		return
	}
	warnUntrusted(peer, now)
	err := os.MkdirAll(filepath.Dir(u.path), 0o755)
	if err == nil {
		err = os.WriteFile(u.path, fmt.Appendf(nil, "%s %s\n", peer, now.UTC().Format(time.RFC3339)), 0o644)
	}
	if err != nil {
		slog.Warn("untrusted peer not noted for arpent doctor", "error", err)
	}
}

// UntrustedProxy is the peer that a server of this state folder has noted last, unless it is trusted by now.
func UntrustedProxy(c config.Config) (peer netip.Addr, seen time.Time, ok bool) {
	text, err := os.ReadFile(c.State(untrustedFile))
	if err != nil {
		return netip.Addr{}, time.Time{}, false
	}
	address, at, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	peer, err = netip.ParseAddr(address)
	if err != nil {
		return netip.Addr{}, time.Time{}, false
	}
	if seen, err = time.Parse(time.RFC3339, at); err != nil || time.Since(seen) > untrustedKept {
		return netip.Addr{}, time.Time{}, false
	}
	trusted, err := parsePrefixes(c.TrustedProxies)
	return peer, seen, err == nil && !slices.ContainsFunc(trusted,
		func(p netip.Prefix) bool { return p.Contains(peer) })
}
