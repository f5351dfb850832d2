package bench

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"arpent/app/dev/harness"
)

//go:embed paths.lua
var pathsScript []byte

// wrkLoad is wrk with a list of paths, in files of a folder.
type wrkLoad struct {
	dir, key string
	seconds  int
}

func (l wrkLoad) writeFiles(paths []string) error {
	return errors.Join(os.WriteFile(filepath.Join(l.dir, "paths.lua"), pathsScript, 0o600),
		os.WriteFile(filepath.Join(l.dir, "paths.txt"), []byte(strings.Join(paths, "\n")+"\n"), 0o600))
}

var (
	wrkRate  = regexp.MustCompile(`Requests/sec:\s+([0-9.]+)`)
	wrkFault = regexp.MustCompile(`Non-2xx[^\n]*|Socket errors[^\n]*`)
)

// measureServer gives the answers a second to 32 clients, and the microseconds of processor time that each
// took. None at all is an error, and so is one that is not 2xx: what does not answer is no measure of
// anything.
func (l wrkLoad) measureServer(ctx context.Context, s *harness.Server) (rate, micros float64, err error) {
	before, err := s.Processor()
	if err != nil {
		return 0, 0, err
	}
	cmd := exec.CommandContext(ctx, "wrk", "-t2", "-c32", "-d"+strconv.Itoa(l.seconds)+"s", "-s",
		filepath.Join(l.dir, "paths.lua"), s.Base, "--", filepath.Join(l.dir, "paths.txt"))
	cmd.Env = append(os.Environ(), "BENCH_KEY="+l.key)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, 0, fmt.Errorf("run wrk (Debian: apt-get install wrk): %w: %s", err, out)
	}
	if fault := wrkFault.Find(out); fault != nil {
		return 0, 0, fmt.Errorf("%s: %s", s.Base, fault)
	}
	if found := wrkRate.FindSubmatch(out); found != nil {
		rate, _ = strconv.ParseFloat(string(found[1]), 64)
	}
	if rate == 0 {
		return 0, 0, fmt.Errorf("%s answered nothing for %d seconds: %s", s.Base, l.seconds, out)
	}
	after, err := s.Processor()
	return rate, float64((after - before).Microseconds()) / (rate * float64(l.seconds)), err
}
