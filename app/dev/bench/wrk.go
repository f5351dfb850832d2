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
)

//go:embed paths.lua
var pathsScript string

// wrkLoad is wrk with a list of paths.
type wrkLoad struct {
	script, list string
	key          string
	seconds      int
}

func newLoad(dir string, paths []string, key string, seconds int) (wrkLoad, error) {
	l := wrkLoad{script: filepath.Join(dir, "paths.lua"), list: filepath.Join(dir, "paths.txt"), key: key,
		seconds: seconds}
	if err := os.WriteFile(l.script, []byte(pathsScript), 0o600); err != nil {
		return l, err
	}
	return l, os.WriteFile(l.list, []byte(strings.Join(paths, "\n")+"\n"), 0o600)
}

var (
	wrkRate  = regexp.MustCompile(`Requests/sec:\s+([0-9.]+)`)
	wrkFault = regexp.MustCompile(`Non-2xx[^\n]*|Socket errors[^\n]*`)
)

// requestRate gives the answers a second to 32 clients. None at all is an error, and so is one that is not
// 2xx: what does not answer is no measure of anything.
func (l wrkLoad) requestRate(ctx context.Context, base string) (float64, error) {
	cmd := exec.CommandContext(ctx, "wrk", "-t2", "-c32", "-d"+strconv.Itoa(l.seconds)+"s", "-s", l.script, base,
		"--", l.list)
	cmd.Env = append(os.Environ(), "BENCH_KEY="+l.key)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("run wrk (Debian: apt-get install wrk): %w: %s", err, out)
	}
	if fault := wrkFault.Find(out); fault != nil {
		return 0, fmt.Errorf("%s: %s", base, fault)
	}
	rate := wrkRate.FindSubmatch(out)
	if rate == nil {
		return 0, fmt.Errorf("wrk wrote no figure: %s", out)
	}
	r, err := strconv.ParseFloat(string(rate[1]), 64)
	if err == nil && r == 0 {
		err = fmt.Errorf("%s answered nothing for %d seconds", base, l.seconds)
	}
	return r, err
}
