//go:build soak

package fault_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"arpent/app/dev/harness"
	"arpent/app/dev/testkit"
)

const stops = 20

// proxied probes as docs/operations/deploy.md asks: every two seconds, out after two failures.
const proxied = `defaults
	mode http
	timeout connect 5s
	timeout client 60s
	timeout server 60s
frontend all
	bind 127.0.0.1:%d
	option forwardfor
	default_backend instances
backend instances
	option httpchk GET /readyz
	default-server check inter 2s fall 2 rise 1
`

// An upgrade that stops one of three instances after the other fails no request, and forgets no count.
func TestSoakFaultRollingStops(t *testing.T) {
	w := newWorld(t, "ARPENT_TRUSTED_PROXIES=127.0.0.1")
	servers := []*harness.Server{w.start(), w.start(), w.start()}
	w.Base, _ = balance(t, servers)
	mix := w.mix()
	before := w.usedNow()
	end := mix.Start()
	var longest time.Duration
	for n := range stops {
		s := &servers[n%len(servers)]
		begin := time.Now()
		(*s).Stop()
		longest = max(longest, time.Since(begin))
		again := testkit.Must(w.program.ServeAt(t.Context(), (*s).Base))(t)
		t.Cleanup(again.Kill)
		*s = again
		time.Sleep(5 * time.Second) // the proxy has seen it
	}
	outcomes := end()
	describe(t, fmt.Sprintf("%d stops", stops), outcomes)
	t.Logf("the longest stop took %s", longest.Round(time.Millisecond))
	if longest > 15*time.Second {
		t.Errorf("a stop took %s, more than 15 s", longest)
	}
	wrong(t, outcomes, never)
	w.exact(before, outcomes)
}

// balance starts HAProxy before the servers, and gives its address and its process.
func balance(t *testing.T, servers []*harness.Server) (base string, pid int) {
	t.Helper()
	if _, err := exec.LookPath("haproxy"); err != nil {
		t.Fatal("haproxy is not installed: make soak installs it, or apt-get install haproxy")
	}
	port := testkit.FreePort(t)
	file := filepath.Join(t.TempDir(), "haproxy.cfg")
	settings := fmt.Appendf(nil, proxied, port)
	for i, s := range servers {
		settings = fmt.Appendf(settings, "\tserver s%d %s\n", i, strings.TrimPrefix(s.Base, "http://"))
	}
	testkit.NoError(t, os.WriteFile(file, settings, 0o600))
	cmd := exec.Command("haproxy", "-db", "-q", "-f", file)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	testkit.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	base = fmt.Sprintf("http://127.0.0.1:%d", port)
	testkit.Eventually(t, testkit.Timeout, "HAProxy sends to an instance", func() bool {
		res, err := http.Get(base + "/healthz")
		if err == nil {
			res.Body.Close()
		}
		return err == nil && res.StatusCode == http.StatusOK
	})
	return base, cmd.Process.Pid
}
