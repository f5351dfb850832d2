package stripesim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	mockModule  = "github.com/stripe/stripe-mock"
	mockVersion = "v0.203.0"
	mockTimeout = 2 * time.Minute // it starts within two seconds; other tests may hold the processors
	// The first time it is downloaded and compiled, while tests are compiled too.
	installTimeout = 10 * time.Minute
)

// ErrNoMock says that stripe-mock is neither there nor could be installed.
var ErrNoMock = errors.New("stripe-mock is not available: go install " + mockModule + "@" + mockVersion +
	" brings it")

// mock is a stripe-mock process. The simulators of a process share one: it keeps no state.
type mock struct {
	cmd    *exec.Cmd
	life   io.Closer // the process ends when this closes, and so with this one, however it ends
	folder string
	client *http.Client
	shares int
}

var sharedMock struct {
	sync.Mutex
	running *mock
}

// shareMock gives the one that runs, or starts it.
func shareMock(ctx context.Context) (*mock, error) {
	sharedMock.Lock()
	defer sharedMock.Unlock()
	if sharedMock.running == nil {
		m, err := startMock(ctx)
		if err != nil {
			return nil, err
		}
		sharedMock.running = m
	}
	sharedMock.running.shares++
	return sharedMock.running, nil
}

// release gives a share back; with the last one the process ends.
func (m *mock) release() {
	if m == nil {
		return
	}
	sharedMock.Lock()
	defer sharedMock.Unlock()
	if m.shares--; m.shares > 0 {
		return
	}
	sharedMock.running = nil
	m.stopProcess()
}

func (m *mock) stopProcess() {
	_ = m.life.Close()
	_ = m.cmd.Wait() // reports the kill as a failure
	_ = os.RemoveAll(m.folder)
}

// startMock listens on a socket in a folder of its own: two test processes never meet on a port.
func startMock(ctx context.Context) (*mock, error) {
	ctx, cancel := context.WithTimeout(ctx, installTimeout)
	defer cancel()
	path, err := installedMock(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoMock, err)
	}
	folder, err := os.MkdirTemp("", "stripe-mock-")
	if err != nil {
		return nil, err
	}
	socket := filepath.Join(folder, "s")
	m := &mock{folder: folder, cmd: exec.Command("sh", "-c", `"$@" & pid=$!; read -r _; kill -9 $pid; wait`,
		"sh", path, "-http-unix", socket)}
	m.client = &http.Client{Timeout: mockTimeout,
		Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}}}
	if m.life, err = m.cmd.StdinPipe(); err == nil {
		err = m.cmd.Start()
	}
	if err != nil {
		_ = os.RemoveAll(folder)
		return nil, fmt.Errorf("%w: %w", ErrNoMock, err)
	}
	for deadline := time.Now().Add(mockTimeout); ; time.Sleep(20 * time.Millisecond) {
		res, err := m.client.Get("http://stripe-mock/")
		if err == nil {
			return m, res.Body.Close()
		}
		if time.Now().After(deadline) {
			m.stopProcess()
			return nil, fmt.Errorf("stripe-mock does not answer: %w", err)
		}
	}
}

// installedMock is the pinned version, which it installs into the user's cache when it is not there.
func installedMock(ctx context.Context) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	folder := filepath.Join(cache, "arpent-stripe-mock-"+mockVersion)
	path := filepath.Join(folder, "stripe-mock")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	free, err := lockMock(filepath.Join(folder, "lock"))
	if err != nil {
		return "", err
	}
	defer free()
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	half, err := os.MkdirTemp(folder, "half-") // renamed when whole
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(half)
	cmd := exec.CommandContext(ctx, "go", "install", mockModule+"@"+mockVersion)
	cmd.Dir = half // outside of any module
	cmd.Env = append(os.Environ(), "GOBIN="+half, "GOFLAGS="+compilerFlags(os.Getenv("GOFLAGS")),
		"CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, bytes.TrimSpace(out))
	}
	return path, os.Rename(filepath.Join(half, "stripe-mock"), path)
}

// lockMock waits while another process installs it: two at once compiled the same, for
// three minutes each on two busy processors.
func lockMock(path string) (free func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	free = func() { _ = f.Close() }
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		free()
		return nil, err
	}
	return free, nil
}

// compilerFlags leaves the flags of the compiler, with which the standard library is
// compiled already. The others speak of our module.
func compilerFlags(all string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(all), func(f string) bool {
		return !strings.HasPrefix(f, "-gcflags=")
	}), " ")
}

// rejectRequest is the mock's answer when it rejects a request; nil: it accepts it.
func (m *mock) rejectRequest(r *http.Request, body []byte) (*answer, error) {
	req, err := http.NewRequestWithContext(r.Context(), r.Method, "http://stripe-mock"+r.URL.RequestURI(),
		bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if kind := r.Header.Get("Content-Type"); kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	req.Header.Set("Authorization", "Bearer sk_test_123") // it wants a key of this shape
	res, err := m.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask stripe-mock: %w", err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, fmt.Errorf("read stripe-mock's answer: %w", err)
	}
	if res.StatusCode < 300 {
		return nil, nil
	}
	return &answer{status: res.StatusCode, body: text}, nil
}
