//go:build soak

package attack_test

import (
	"bufio"
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"arpent/app/dev/fixture"
)

const (
	// idleBytes is the most, in KiB, that a connection without a request under way may cost.
	idleBytes = 64
	// slowBytes is the most, in KiB, that a request whose body has not come may cost, however much it announces.
	slowBytes = 128
)

// openConnections opens n connections from as many addresses of this machine as keep each below ten, and says
// something on each. It gives those that stay open.
func openConnections(t *testing.T, base string, n int, say string) []net.Conn {
	t.Helper()
	var (
		mu   sync.Mutex
		wg   sync.WaitGroup
		open []net.Conn
	)
	for worker := range 16 {
		wg.Go(func() {
			for i := worker; i < n; i += 16 {
				from := net.IPv4(127, 1, byte(i/10/250), byte(1+i/10%250))
				d := net.Dialer{LocalAddr: &net.TCPAddr{IP: from}, Timeout: 20 * time.Second}
				c, err := d.Dial("tcp", strings.TrimPrefix(base, "http://"))
				if err != nil {
					continue // refused: it costs nothing
				}
				if _, err := c.Write([]byte(say)); err != nil {
					c.Close()
					continue
				}
				mu.Lock()
				open = append(open, c)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	t.Cleanup(func() { closeAll(open) })
	return open
}

func closeAll(conns []net.Conn) {
	for _, c := range conns {
		c.Close()
	}
}

// answers reads what comes first on each connection, if anything comes within a moment, and
// counts it by status: 0 is silence, -1 an end.
func answers(conns []net.Conn) map[int]int {
	var mu sync.Mutex
	var wg sync.WaitGroup
	out := map[int]int{}
	until := time.Now().Add(5 * time.Second)
	for _, c := range conns {
		wg.Go(func() {
			_ = c.SetReadDeadline(until) // it fails as reading does
			res, err := http.ReadResponse(bufio.NewReader(c), nil)
			status := -1
			switch {
			case err == nil:
				status = res.StatusCode
				res.Body.Close()
			case errors.Is(err, os.ErrDeadlineExceeded):
				status = 0
			}
			mu.Lock()
			defer mu.Unlock()
			out[status]++
		})
	}
	wg.Wait()
	return out
}

func needFiles(t *testing.T, n uint64) {
	t.Helper()
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil || l.Max < n {
		t.Fatalf("%d open files are needed, ulimit -Hn is %d (%v)", n, l.Max, err)
	}
}

// quietDown waits until what earlier connections took is given back, as far as it will be.
func (a *attacked) quietDown() { time.Sleep(2 * time.Second) }

// Ten thousand idle connections cost little each.
func TestSoakIdleConnections(t *testing.T) {
	needFiles(t, 11_000)
	a := attackedServer(t)
	first, _ := a.memory(t)
	get := "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
	for _, tc := range []struct{ name, say string }{{"silent", ""}, {"after a request", get}, {"within the headers", get[:20]}} {
		t.Run(tc.name, func(t *testing.T) { a.withConnections(t, first, 10_000, tc.say, idleBytes) })
	}
}

// withConnections opens connections and judges them. first is what the server held before all of the test:
// what it does not give back between two of them counts.
func (a *attacked) withConnections(t *testing.T, first float64, n int, say string, maxEach float64) {
	t.Helper()
	var open []net.Conn
	m := a.during(t, func() {
		open = openConnections(t, a.Base, n, say)
		a.quietDown()
	})
	m.before = first
	a.judge(t, m, open, n, maxEach)
}

// judge logs what connections cost, and that the server still answers others; it ends them.
func (a *attacked) judge(t *testing.T, m memory, open []net.Conn, n int, maxEach float64) {
	t.Helper()
	begin := time.Now()
	res, err := (&http.Client{Transport: fixture.Transport, Timeout: 30 * time.Second}).Get(a.Base + "/healthz")
	if err != nil {
		t.Errorf("other clients are not answered: %v", err)
	} else {
		res.Body.Close()
	}
	took := time.Since(begin)
	if a.killed.Load() {
		t.Fatalf("the server passed %d MiB and was killed", memoryGuard)
	}
	each := m.grown() * 1024 / float64(max(1, len(open)))
	said := answers(open)
	closeAll(open)
	a.quietDown()
	m.after, _ = a.memory(t)
	t.Logf("%d of %d connections: %s: %.1f KiB each; answers by status (0: none, -1: ended) %v; /healthz meanwhile in %s",
		len(open), n, m, each, said, took.Round(time.Millisecond))
	if each > maxEach {
		t.Errorf("%.1f KiB a connection, expected %.0f at most", each, maxEach)
	}
}

// Headers that come a letter at a time keep a connection for as long as a request may take, and no longer.
func TestSoakSlowHeaders(t *testing.T) {
	a := attackedServer(t)
	const n, timeout = 1_000, 2*time.Minute + 15*time.Second
	begin := time.Now()
	left := 0
	m := a.during(t, func() {
		open := openConnections(t, a.Base, n, "GET /api/v1 HTTP/1.1\r\nHost: x\r\nX-Slow: ")
		for left = len(open); left > 0 && time.Since(begin) < timeout; time.Sleep(2 * time.Second) {
			left = 0
			for _, c := range open {
				if _, err := c.Write([]byte("a")); err == nil {
					left++
				}
			}
		}
	})
	t.Logf("%d slow requests: %s: %.1f KiB each; %d left after %s", n, m, m.grown()*1024/n, left, time.Since(begin).Round(time.Second))
	if left > 0 || m.grown()*1024/n > slowBytes {
		t.Errorf("%d connections are left; %.1f KiB each, expected %d at most", left, m.grown()*1024/n, slowBytes)
	}
}
