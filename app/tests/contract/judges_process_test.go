package contract_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// newestNode is the Node that the judges' packages bring, or the
// system's where they bring none for this machine.
func newestNode(t *testing.T, folder string) string {
	t.Helper()
	candidates, _ := filepath.Glob(filepath.Join(folder, "node_modules", "node-*", "bin", "node")) // the pattern is well formed
	if _, err := os.Stat(filepath.Join(folder, "node_modules", ".package-lock.json")); err != nil {
		t.Fatal("the judges are not installed: make test-mcp does that")
	}
	if system, err := exec.LookPath("node"); err == nil {
		candidates = append(candidates, system)
	}
	for _, path := range candidates {
		version, err := exec.Command(path, "--version").Output()
		if err != nil {
			continue // made for another machine
		}
		major, _, _ := strings.Cut(strings.TrimPrefix(string(version), "v"), ".")
		if n, err := strconv.Atoi(major); err == nil && n >= 22 {
			return path
		}
	}
	t.Fatal("the judges need Node 22 or newer: npm brings one for Linux; install it elsewhere")
	return ""
}

// withKey is a proxy of ours in front of the service, which adds the key that a judge has no option for. It
// leaves all else as it is, the Host too, unless that is the proxy's own.
func withKey(t *testing.T, base, key string) string {
	t.Helper()
	target := testkit.Must(url.Parse(base))(t)
	var own string
	proxy := httptest.NewServer(&httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		if r.Out.Host = r.In.Host; r.Out.Host == own {
			r.Out.Host = target.Host
		}
		r.Out.Header.Set("X-Api-Key", key)
	}})
	t.Cleanup(proxy.Close)
	own = strings.TrimPrefix(proxy.URL, "http://")
	return proxy.URL
}

// child is a judge at work.
type child struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	watch          func(line string) // each line of output as it comes; nil: none
}

// environment holds nothing of the caller's: no home folder, no proxy, no browser.
func (j *judges) environment(t *testing.T) []string {
	t.Helper()
	home := t.TempDir()
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "NO_COLOR=1", "CI=true",
		"BROWSER=" + j.browser(t, home), "MCP_REMOTE_CONFIG_DIR=" + home, "MCP_STORAGE_DIR=" + home, "MCP_AUTO_OPEN_ENABLED=true"}
}

// browser is a program that opens addresses as a person's browser would, and approves what it finds there.
func (j *judges) browser(t *testing.T, folder string) string {
	t.Helper()
	path := filepath.Join(folder, "browser")
	script := fmt.Sprintf("#!/bin/sh\nexec %q %q %q \"$1\"\n", j.node, filepath.Join(j.folder, "browser.mjs"), j.person.url)
	testkit.NoError(t, os.WriteFile(path, []byte(script), 0o755))
	return path
}

// run runs a program of Node to its end, approves meanwhile what it asks for, and gives its exit code.
func (j *judges) run(t *testing.T, c *child, args ...string) (code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), judgeTimeout)
	defer cancel()
	c.cmd = exec.CommandContext(ctx, j.node, args...)
	c.cmd.Dir, c.cmd.Env = j.folder, j.environment(t)
	c.cmd.Stdout, c.cmd.Stderr = &lineWriter{kept: &c.stdout, show: c.watch}, &lineWriter{kept: &c.stderr, show: c.watch}
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	c.cmd.Cancel = func() error { return syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) }
	c.cmd.WaitDelay = 5 * time.Second
	testkit.NoError(t, c.cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- c.cmd.Wait() }()
	for {
		select {
		case ask := <-j.person.asked:
			ask.location <- j.approve(t, ask.address)
		case <-ended: // the code says how
			if ctx.Err() != nil {
				t.Errorf("%s did not end within %v\n%s", args[0], judgeTimeout, c.tail())
			}
			return c.cmd.ProcessState.ExitCode()
		}
	}
}

// tail is the end of what the child wrote.
func (c *child) tail() string {
	text := c.stdout.String() + c.stderr.String()
	return text[max(0, len(text)-4000):]
}

// lineWriter keeps what is written, and shows each line once it is whole.
type lineWriter struct {
	kept  *bytes.Buffer
	show  func(string)
	shown int
}

func (w *lineWriter) Write(b []byte) (int, error) {
	n, err := w.kept.Write(b)
	for w.show != nil {
		line, _, whole := bytes.Cut(w.kept.Bytes()[w.shown:], []byte("\n"))
		if !whole {
			break
		}
		w.shown += len(line) + 1
		w.show(string(bytes.TrimSpace(line)))
	}
	return n, err
}

// approver is where children send the addresses that they want a person to open.
type approver struct {
	url   string
	asked chan question
}

type question struct {
	address  string
	location chan string
}

func newApprover(t *testing.T) *approver {
	t.Helper()
	a := &approver{asked: make(chan question)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var address bytes.Buffer
		if _, err := address.ReadFrom(http.MaxBytesReader(w, r.Body, 64<<10)); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		q := question{address.String(), make(chan string, 1)}
		select {
		case a.asked <- q:
		case <-r.Context().Done():
			return
		}
		select {
		case location := <-q.location:
			fmt.Fprint(w, location)
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	a.url = server.URL
	return a
}

// approve is what a person does with an authorization who is not signed in: the forms of the pages, without
// scripts. It gives the address that leads back to the client.
func (j *judges) approve(t *testing.T, address string) (location string) {
	t.Helper()
	b := testkit.NewBrowser(t, j.Base).Stay()
	in := b.Submit(b.Get(address), "/signin", "email", judgeEmail, "password", fixture.Password)
	return fixture.Authorize(t, b, b.Get(in.Location())).Location()
}
