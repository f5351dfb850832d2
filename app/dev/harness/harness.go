// Package harness runs the program as an operator does, as processes that are started, asked and killed, and
// drives it with requests. The benchmark and the soak tests share it.
package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Program is the binary and the environment that all its commands share.
type Program struct {
	Path string
	Env  []string // in addition to this process's variables that do not configure the service
	Log  io.Writer
}

// Build compiles arpent into a folder, and gives its path.
func Build(ctx context.Context, dir string) (path string, err error) {
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-ldflags=-s", "-o",
		dir+string(filepath.Separator), "arpent/app/cmd/arpent")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w: %s", err, out)
	}
	return filepath.Join(dir, "arpent"), nil
}

// processEnv leaves out what a developer's shell may have set for another instance.
func (p Program) processEnv(more ...string) []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "ARPENT_") && !strings.HasPrefix(v, "PORT=") {
			env = append(env, v)
		}
	}
	return append(append(env, p.Env...), more...)
}

// Command is a command of the program, which is not started yet.
func (p Program) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.Path, args...)
	cmd.Env = p.processEnv()
	return cmd
}

// Run runs one command and gives what it wrote to standard output, trimmed, also where it fails.
func (p Program) Run(ctx context.Context, args ...string) (string, error) {
	var out, complaints bytes.Buffer
	cmd := p.Command(ctx, args...)
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil {
		return strings.TrimSpace(out.String()), fmt.Errorf("arpent %s: %w: %s", strings.Join(args[:min(2, len(args))], " "), err,
			complaints.Bytes())
	}
	return strings.TrimSpace(out.String()), nil
}

// Limits are an account's own.
type Limits struct{ PerMinute, EnrichmentsPerMinute, PerDay int }

// Account makes a confirmed account with limits of its own and one key.
func (p Program) Account(ctx context.Context, email string, l Limits) (key string, err error) {
	for _, args := range [][]string{
		{"account", "create", "--email", email, "--plan", "pro", "--confirmed"},
		{"account", "limits", "--email", email, "--per-minute", strconv.Itoa(l.PerMinute),
			"--enrichments-per-minute", strconv.Itoa(l.EnrichmentsPerMinute),
			"--per-day", strconv.Itoa(l.PerDay), "--note", "measured by a machine"},
		{"key", "create", "--account", email, "--name", "harness " + strconv.FormatInt(time.Now().UnixNano(), 36)},
	} {
		if key, err = p.Run(ctx, args...); err != nil {
			return "", err
		}
	}
	return key, nil
}

// UsedToday returns the requests of today that arpent usage prints.
func (p Program) UsedToday(ctx context.Context, email string) (int, error) {
	out, err := p.Run(ctx, "usage", "--account", email, "--json")
	if err != nil {
		return 0, err
	}
	var usage struct {
		Today *int `json:"today"`
	}
	if err := json.Unmarshal([]byte(out), &usage); err != nil || usage.Today == nil {
		return 0, fmt.Errorf("arpent usage wrote %q", out)
	}
	return *usage.Today, nil
}

// Server is a running arpent serve, or another server of ours.
type Server struct {
	Base string // http://127.0.0.1:port
	cmd  *exec.Cmd
	done chan struct{}
}

// Serve starts arpent serve on a free port and waits until it is ready.
func (p Program) Serve(ctx context.Context, more ...string) (*Server, error) {
	return p.StartServer(ctx, []string{"serve"}, more...)
}

// StartServer starts a server that listens on PORT and answers /readyz, and waits for it. The first start of
// a server that loads its data takes minutes: ctx sets the limit.
func (p Program) StartServer(ctx context.Context, args []string, more ...string) (*Server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	return p.startOn(ctx, port, args, more...)
}

// ServeAt starts arpent serve on the port of a server that has ended, and waits until it is ready.
func (p Program) ServeAt(ctx context.Context, base string, more ...string) (*Server, error) {
	_, port, err := net.SplitHostPort(strings.TrimPrefix(base, "http://"))
	if err != nil {
		return nil, fmt.Errorf("serve at %s again: %w", base, err)
	}
	return p.startOn(ctx, port, []string{"serve"}, more...)
}

func (p Program) startOn(ctx context.Context, port string, args []string, more ...string) (*Server, error) {
	s := &Server{Base: "http://127.0.0.1:" + port, cmd: exec.Command(p.Path, args...), done: make(chan struct{})}
	s.cmd.Env = p.processEnv(append(more, "PORT="+port, "ARPENT_HOST=127.0.0.1")...)
	s.cmd.Stdout, s.cmd.Stderr = p.Log, p.Log
	// The server goes when we do, however that happens.
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.Path, err)
	}
	go func() {
		_ = s.cmd.Wait() // being killed is no news
		close(s.done)
	}()
	if err := s.waitReady(ctx); err != nil {
		s.Kill()
		return nil, err
	}
	return s, nil
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, err
}

func (s *Server) waitReady(ctx context.Context) error {
	for {
		res, err := http.Get(s.Base + "/readyz")
		if err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-s.done:
			return errors.New("the server ended before it was ready")
		case <-ctx.Done():
			return fmt.Errorf("the server was not ready in time: %w", ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// PID is the process.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Kill ends the server at once, as kill -9 does.
func (s *Server) Kill() {
	_ = s.cmd.Process.Kill() // it may have ended already
	<-s.done
}

// Stop asks the server to stop, waits for it, and kills it when it does not.
func (s *Server) Stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may have ended already
	select {
	case <-s.done:
	case <-time.After(20 * time.Second):
		s.Kill()
	}
}

// Memory is the resident memory of the server now and at its highest, in MiB.
func (s *Server) Memory() (now, peak float64, err error) {
	text, err := s.readStatus()
	return statusMiB(text, "VmRSS"), statusMiB(text, "VmHWM"), err
}

// OwnMemory is the resident memory of the server without the pages of files that it maps, in MiB.
func (s *Server) OwnMemory() (float64, error) {
	text, err := s.readStatus()
	return statusMiB(text, "RssAnon"), err
}

func (s *Server) readStatus() (string, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return "", fmt.Errorf("read the server's memory: %w", err)
	}
	return string(text), nil
}

// statusMiB reads a line of /proc/PID/status.
func statusMiB(status, name string) float64 {
	for line := range strings.Lines(status) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			kib, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 64)
			return kib / 1024
		}
	}
	return 0
}

// Processor is the processor time that the server has taken since its start, to a hundredth of a second.
func (s *Server) Processor() (time.Duration, error) { return Processor(s.cmd.Process.Pid) }

// Processor is the processor time that a process has taken since its start, to a hundredth of a second.
func Processor(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, fmt.Errorf("read the processor time: %w", err)
	}
	// The name of the program is in brackets, and may hold anything; the fields of proc(5) are counted from
	// behind it.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	const user, system, tick = 11, 12, 10 * time.Millisecond
	if len(fields) <= system {
		return 0, fmt.Errorf("read the processor time: %q", text)
	}
	ofUser, errUser := strconv.Atoi(fields[user])
	ofSystem, errSystem := strconv.Atoi(fields[system])
	return time.Duration(ofUser+ofSystem) * tick, errors.Join(errUser, errSystem)
}

// ForgetPeak makes the highest memory begin anew from what is held now.
func (s *Server) ForgetPeak() error {
	const peakOfMemory = "5" // see proc(5)
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.cmd.Process.Pid), []byte(peakOfMemory),
		0); err != nil {
		return fmt.Errorf("forget the server's highest memory: %w", err)
	}
	return nil
}
