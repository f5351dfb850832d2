package testkit

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

const redisTimeout = 10 * time.Second

// RedisServer is a real redis-server of one test. It keeps nothing on disk.
type RedisServer struct {
	URL string // unix://…

	t      testing.TB
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

// NewRedis starts a redis-server that the test may kill and start again.
func NewRedis(t testing.TB) *RedisServer {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		missing(t, "redis-server is not installed (Debian: apt-get install redis-server)")
	}
	dir, err := os.MkdirTemp("", "arpent-redis") // t.TempDir may be too long for a unix socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "redis.sock")
	r := &RedisServer{URL: "unix://" + socket, socket: socket, t: t}
	r.Start()
	t.Cleanup(r.Kill)
	return r
}

// Start starts the server, empty, and waits until it takes connections.
func (r *RedisServer) Start() {
	r.t.Helper()
	r.cmd = exec.Command("sh", "-c", `"$@" >/dev/null & pid=$!; echo $pid; read -r _; kill -9 $pid; wait`, "sh",
		"redis-server", "--port", "0", "--unixsocket", r.socket, "--save", "", "--appendonly", "no", "--dir", filepath.Dir(r.socket))
	life, err := r.cmd.StdinPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	r.life = life
	said, err := r.cmd.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		r.t.Fatalf("start redis-server: %v", err)
	}
	if _, err := fmt.Fscan(said, &r.pid); err != nil {
		r.t.Fatalf("start redis-server: %v", err)
	}
	Eventually(r.t, redisTimeout, "redis-server answers", func() bool {
		conn, err := net.Dial("unix", r.socket)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
}

// Pause stops the server where it is, until Resume: connections stay, and nobody answers.
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
