package testkit

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/redis/go-redis/v9"
)

// RedisServer is a real redis-server of one test. It keeps nothing on disk.
type RedisServer struct {
	URL string // unix://…

	t      testing.TB
	more   []string // settings
	socket string
	cmd    *exec.Cmd
	pid    int       // of the server
	life   io.Closer // the server dies when this closes, and so with the test process, however it ends
}

// Redis starts a redis-server for the test and gives its address.
func Redis(t testing.TB) string {
	t.Helper()
	return NewRedis(t).URL
}

// RedisCluster starts a Redis Cluster of three nodes for the test, and gives its address.
func RedisCluster(t testing.TB) string {
	t.Helper()
	const nodes, slots = 3, 16384
	var addresses []string
	var clients []*redis.Client
	for i := range nodes {
		port, bus := fmt.Sprint(FreePort(t)), fmt.Sprint(FreePort(t))
		s := NewRedis(t, "--bind", "127.0.0.1", "--port", port, "--cluster-enabled", "yes", "--cluster-port", bus)
		c := redis.NewClient(&redis.Options{Network: "unix", Addr: s.socket})
		t.Cleanup(func() { c.Close() })
		NoError(t, c.ClusterAddSlotsRange(t.Context(), i*slots/nodes, (i+1)*slots/nodes-1).Err())
		// Without an epoch of its own a node keeps the slots that it was given from those that it meets.
		NoError(t, c.Do(t.Context(), "CLUSTER", "SET-CONFIG-EPOCH", i+1).Err())
		NoError(t, c.Do(t.Context(), "CLUSTER", "MEET", "127.0.0.1", port, bus).Err())
		for _, before := range clients {
			NoError(t, before.Do(t.Context(), "CLUSTER", "MEET", "127.0.0.1", port, bus).Err())
		}
		clients, addresses = append(clients, c), append(addresses, "127.0.0.1:"+port)
	}
	Eventually(t, Timeout, "the nodes have met", func() bool {
		for _, c := range clients {
			info, err := c.ClusterInfo(t.Context()).Result()
			if err != nil || !strings.Contains(info, "cluster_state:ok") || !strings.Contains(info,
				"cluster_slots_ok:16384") || !strings.Contains(info, "cluster_known_nodes:3") {
				return false
			}
		}
		return true
	})
	return "redis://" + addresses[0] + "?addr=" + strings.Join(addresses[1:], "&addr=")
}

// NewRedis starts a redis-server that the test may kill and start again, with some more arguments.
func NewRedis(t testing.TB, more ...string) *RedisServer {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		skipOrFail(t, "redis-server is not installed (Debian: apt-get install redis-server)")
	}
	dir, err := os.MkdirTemp("", "arpent-redis") // t.TempDir may be too long for a unix socket
	NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "redis.sock")
	r := &RedisServer{URL: "unix://" + socket, socket: socket, t: t, more: more}
	r.Start()
	t.Cleanup(r.Kill)
	return r
}

// Start starts the server, empty, and waits until it takes connections.
func (r *RedisServer) Start() {
	r.t.Helper()
	r.cmd = exec.Command("sh", append([]string{"-c",
		`"$@" >/dev/null & pid=$!; echo $pid; read -r _; kill -9 $pid; wait`, "sh",
		"redis-server", "--port", "0", "--unixsocket", r.socket, "--save", "", "--appendonly", "no", "--dir",
		filepath.Dir(r.socket)}, r.more...)...)
	life, err := r.cmd.StdinPipe()
	NoError(r.t, err)
	r.life = life
	said, err := r.cmd.StdoutPipe()
	NoError(r.t, err)
	if err := r.cmd.Start(); err != nil {
		r.t.Fatalf("start redis-server: %v", err)
	}
	if _, err := fmt.Fscan(said, &r.pid); err != nil {
		r.t.Fatalf("start redis-server: %v", err)
	}
	Eventually(r.t, Timeout, "redis-server answers", func() bool {
		conn, err := net.Dial("unix", r.socket)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
}

// Pause stops the server where it is, until Resume: connections stay, and no request is answered.
func (r *RedisServer) Pause() { r.signal(syscall.SIGSTOP) }

// Resume ends a pause.
func (r *RedisServer) Resume() { r.signal(syscall.SIGCONT) }

func (r *RedisServer) signal(s syscall.Signal) {
	r.t.Helper()
	if err := syscall.Kill(r.pid, s); err != nil {
		r.t.Fatalf("signal redis-server: %v", err)
	}
}

// Kill ends the server as a crash does. Killing it twice is fine.
func (r *RedisServer) Kill() {
	if r.life == nil {
		return
	}
	_ = r.life.Close()
	_ = r.cmd.Wait() // the shell reports the kill as a failure
	r.life = nil
}
