package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// ErrNotInstalled means that PostgreSQL or PostGIS is not on this machine.
var ErrNotInstalled = errors.New("PostgreSQL with PostGIS is not installed")

const installHint = "install it (Debian: apt-get install postgresql postgresql-postgis), " +
	"or set ARPENT_DATABASE_URL to a server that is there, or use docker compose up"

// installation is one PostgreSQL on this machine.
type installation struct {
	bin     string // folder of its programs
	version string // major version: "15"
	postgis string // version of the PostGIS it can load; empty: none
}

func (i installation) programPath(name string) string { return filepath.Join(i.bin, name) }

// Installed returns which PostgreSQL and PostGIS a private cluster would use.
func Installed(ctx context.Context) (postgres, postgis string, err error) {
	i, err := findInstallation(ctx, "")
	return i.version, i.postgis, err
}

// findInstallation finds the newest PostgreSQL that has PostGIS; of the major version when one is given,
// because a server reads only the data of its own.
func findInstallation(ctx context.Context, version string) (installation, error) {
	var without string
	for _, i := range listInstallations(ctx) {
		switch {
		case version != "" && i.version != version:
		case i.postgis == "":
			without = i.version
		default:
			return i, nil
		}
	}
	switch {
	case without != "":
		return installation{}, fmt.Errorf("%w: PostgreSQL %s is there, PostGIS for it is not; %s", ErrNotInstalled,
			without, installHint)
	case version != "":
		return installation{}, fmt.Errorf("%w: the data folder needs PostgreSQL %s; %s", ErrNotInstalled, version,
			installHint)
	default:
		return installation{}, fmt.Errorf("%w; %s", ErrNotInstalled, installHint)
	}
}

// listInstallations lists what is on the machine, newest first.
// Debian keeps the server's programs out of PATH.
func listInstallations(ctx context.Context) []installation {
	var found []installation
	bins, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is well formed
	rpms, _ := filepath.Glob("/usr/pgsql-*/bin")
	bins = append(bins, rpms...)
	if p, err := exec.LookPath("initdb"); err == nil {
		bins = append(bins, filepath.Dir(p))
	}
	for _, bin := range bins {
		if i, err := inspectInstallation(ctx, bin); err == nil {
			found = append(found, i)
		}
	}
	slices.SortStableFunc(found, func(a, b installation) int {
		return parseMajor(b.version) - parseMajor(
			a.version)
	})
	return found
}

func parseMajor(version string) int {
	n, _ := strconv.Atoi(version) // not a number: an odd build, the last choice
	return n
}

func inspectInstallation(ctx context.Context, bin string) (installation, error) {
	i := installation{bin: bin}
	for _, p := range []string{"initdb", "postgres", "pg_ctl"} {
		if _, err := os.Stat(i.programPath(p)); err != nil {
			return i, err
		}
	}
	// postgres (PostgreSQL) 15.14 (Debian …)
	out, err := exec.CommandContext(ctx, i.programPath("postgres"), "--version").Output()
	if err != nil {
		return i, err
	}
	_, after, _ := strings.Cut(string(out), "(PostgreSQL) ")
	i.version = after[:len(after)-len(strings.TrimLeft(after, "0123456789"))]
	share, err := exec.CommandContext(ctx, i.programPath("pg_config"), "--sharedir").Output()
	if err != nil {
		share = []byte("/usr/share/postgresql/" + i.version) // pg_config is optional; this is Debian's place
	}
	i.postgis = postgisVersion(filepath.Join(strings.TrimSpace(string(share)), "extension", "postgis.control"))
	return i, nil
}

func postgisVersion(control string) string {
	text, err := os.ReadFile(control)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, "="); ok && strings.TrimSpace(key) == "default_version" {
			return strings.Trim(strings.TrimSpace(value), "'")
		}
	}
	return ""
}
