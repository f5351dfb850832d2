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

// mock is a stripe-mock process.
type mock struct {
	client *http.Client
	cmd    *exec.Cmd // holds the pipe to it, which is open as long as this process lives
}

// sharedMock is the one of all simulators of this process: it keeps no state. It ends with the process.
var sharedMock = sync.OnceValues(startMock)

// startMock listens on a socket in a folder of its own: two test processes never meet on a port.
func startMock() (*mock, error) {
	ctx, cancel := context.WithTimeout(context.Background(), installTimeout)
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
	// The shell ends when this process does, however that happens, as its standard input closes then.
	m := &mock{cmd: exec.Command("sh", "-c", `"$@" & pid=$!; read -r _; kill -9 $pid; wait; rm -r "$0"`, folder,
		path,
		"-http-unix", socket)}
	if _, err = m.cmd.StdinPipe(); err == nil {
		err = m.cmd.Start()
	}
	if err != nil {
		_ = os.RemoveAll(folder)
		return nil, fmt.Errorf("%w: %w", ErrNoMock, err)
	}
	m.client = &http.Client{Timeout: mockTimeout,
		Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}}}
	for deadline := time.Now().Add(mockTimeout); ; time.Sleep(20 * time.Millisecond) {
		res, err := m.client.Get("http://stripe-mock/")
		if err == nil {
			return m, res.Body.Close()
		}
		if time.Now().After(deadline) {
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
	// Another process may be installing it: two at once compiled the same, for three minutes each on two busy
	// processors.
	lock, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	half, err := os.MkdirTemp(folder, "half-") // renamed when whole
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(half)
	// The flags of the compiler are those with which the standard library is compiled already; the others
	// speak of our module.
	flags := slices.DeleteFunc(strings.Fields(os.Getenv("GOFLAGS")), func(f string) bool {
		return !strings.HasPrefix(f, "-gcflags=")
	})
	cmd := exec.CommandContext(ctx, "go", "install", mockModule+"@"+mockVersion)
	cmd.Dir = half // outside of any module
	cmd.Env = append(os.Environ(), "GOBIN="+half, "GOFLAGS="+strings.Join(flags, " "), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, bytes.TrimSpace(out))
	}
	return path, os.Rename(filepath.Join(half, "stripe-mock"), path)
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
