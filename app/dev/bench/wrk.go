package bench

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

//go:embed paths.lua
var pathsScript string

// load is wrk with a list of paths.
type load struct {
	script, list string
	key          string
	seconds      int
}

func newLoad(dir, name string, paths []string, key string, seconds int) (load, error) {
	l := load{script: filepath.Join(dir, "paths.lua"), list: filepath.Join(dir, name+".txt"), key: key, seconds: seconds}
	if err := os.WriteFile(l.script, []byte(pathsScript), 0o600); err != nil {
		return l, err
	}
	return l, os.WriteFile(l.list, []byte(strings.Join(paths, "\n")+"\n"), 0o600)
}

var (
	wrkRate    = regexp.MustCompile(`Requests/sec:\s+([0-9.]+)`)
	wrkLatency = regexp.MustCompile(`(?s)50%\s+([0-9.]+[mu]?s).*99%\s+([0-9.]+[mu]?s)`)
	wrkFault   = regexp.MustCompile(`Non-2xx[^\n]*|Socket errors[^\n]*`)
)

// requestRate gives the answers a second to 32 clients.
func (l load) requestRate(ctx context.Context, base string) (float64, error) {
	return l.measureRate(ctx, base, "-t2", "-c32")
}

// measureRate gives the answers a second. None at all is an error: what has
// stopped answering is no measure of anything.
func (l load) measureRate(ctx context.Context, base string, how ...string) (float64, error) {
	rate, err := l.runWrk(ctx, base, wrkRate, how...)
	if err != nil {
		return 0, err
	}
	r, err := strconv.ParseFloat(rate[0], 64)
	if err == nil && r == 0 {
		err = fmt.Errorf("%s answered nothing for %d seconds", base, l.seconds)
	}
	return r, err
}

// measureLatency gives how long an answer takes when one client waits for each.
func (l load) measureLatency(ctx context.Context, base string) (took latency, err error) {
	found, err := l.runWrk(ctx, base, wrkLatency, "-t1", "-c1", "--latency")
	if err == nil {
		took.p50, err = time.ParseDuration(found[0])
	}
	if err == nil {
		took.p99, err = time.ParseDuration(found[1])
	}
	return took, err
}

// runWrk runs it and finds figures in what it writes. An answer that is not
// 2xx makes them worthless, and is an error.
func (l load) runWrk(ctx context.Context, base string, figures *regexp.Regexp, how ...string) ([]string, error) {
	cmd := exec.CommandContext(ctx, "wrk", append(how, "-d"+strconv.Itoa(l.seconds)+"s", "-s", l.script, base, "--", l.list)...)
	cmd.Env = append(os.Environ(), "BENCH_KEY="+l.key)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("run wrk (Debian: apt-get install wrk): %w: %s", err, out)
	}
	if fault := wrkFault.Find(out); fault != nil {
		return nil, fmt.Errorf("%s: %s", base, fault)
	}
	m := figures.FindStringSubmatch(string(out))
	if m == nil {
		return nil, fmt.Errorf("wrk wrote no figure: %s", out)
	}
	return m[1:], nil
}
