// Package gdal runs the programs of GDAL on files that were downloaded. A hostile file may contain the
// name of another file or an address, and GDAL may have a hole. Each run therefore has named drivers
// alone, an environment without any variable of ours and, on Linux, a cage: it reads its input and its
// libraries, writes one folder, and has no network.
package gdal

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Call is one run of a program of GDAL.
type Call struct {
	Program string   // ogr2ogr, ogrinfo, gdalinfo, gdal_translate or gdalwarp
	Drivers []string // the drivers that exist for it, those of its output included
	Args    []string
	Reads   []string // the files and folders that it may read
	Writes  string   // the folder that it may write to; empty: none
}

// Command prepares a run. The caller starts it.
func Command(ctx context.Context, c Call) (*exec.Cmd, error) {
	for _, path := range append(slices.Clone(c.Reads), c.Writes) {
		if path != "" && (!filepath.IsAbs(path) || strings.HasPrefix(path, "/vsi")) {
			return nil, fmt.Errorf("GDAL would not take %q for a file of this machine", path)
		}
	}
	skip, err := skippedDrivers(ctx, c.Drivers)
	if err != nil {
		return nil, err
	}
	return cageCommand(ctx, c, append(runEnvironment(c.Writes), "GDAL_SKIP="+skip))
}

// Output runs a program to its end and returns what it writes. A line with ERROR is an error: a file that is
// cut off ends early with the exit status 0.
func Output(ctx context.Context, c Call) ([]byte, error) {
	cmd, err := Command(ctx, c)
	if err != nil {
		return nil, err
	}
	var complaints Tail
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err == nil && complaints.HasError() {
		err = errors.New("it was not read to its end")
	}
	if err != nil { // ogrinfo writes why it cannot open a file to its output
		return nil, fmt.Errorf("%s: %w: %s", c.Program, err, cmp.Or(complaints.Text(),
			string(out[:min(len(out), maxKept)])))
	}
	return out, nil
}

// runEnvironment is that of every run. PROJ and GDAL ask no server, and find their tables where the
// operator's own settings say; everything else of this process stays out.
func runEnvironment(temp string) []string {
	env := []string{
		"PATH=/usr/bin:/bin", "HOME=/nonexistent", "LC_ALL=C.UTF-8", "TMPDIR=" + cmp.Or(temp, "/nonexistent"),
		"PROJ_NETWORK=OFF", "GDAL_PAM_ENABLED=NO", "GDAL_CACHEMAX=64", "GDAL_NUM_THREADS=1",
		"CPL_VSIL_CURL_ALLOWED_EXTENSIONS={none}", "GDAL_HTTP_MAX_RETRY=0", "OGR_SQLITE_LOAD_EXTENSIONS=",
	}
	for _, name := range libraryVariables {
		if value := os.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// libraryVariables say where the tables of GDAL and PROJ are, where that is not the usual place.
var libraryVariables = []string{"GDAL_DATA", "PROJ_LIB", "PROJ_DATA", "LD_LIBRARY_PATH"}

// findProgram is the path of a program.
func findProgram(program string) (string, error) {
	path, err := exec.LookPath(program)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("GDAL is needed for this format: install gdal-bin: %w", err)
	}
	return path, err
}

// listTimeout is how long GDAL may take to list its drivers.
const listTimeout = 30 * time.Second

var drivers struct {
	sync.Mutex
	names []string
}

// Drivers lists the drivers of this GDAL by their short names. They are read once.
func Drivers(ctx context.Context) ([]string, error) {
	drivers.Lock()
	defer drivers.Unlock()
	if drivers.names != nil {
		return drivers.names, nil
	}
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	var all []string
	for _, program := range []string{"gdalinfo", "ogrinfo"} {
		cmd, err := cageCommand(ctx, Call{Program: program, Args: []string{"--formats"}}, runEnvironment(""))
		if err != nil {
			return nil, err
		}
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("list the drivers of %s: %w", program, err)
		}
		for line := range bytes.Lines(out) { // "  GTiff -raster- (rw+vs): GeoTIFF"
			name, _, found := bytes.Cut(line, []byte(" -"))
			if found && bytes.HasPrefix(line, []byte("  ")) {
				all = append(all, strings.TrimSpace(string(name)))
			}
		}
	}
	if len(all) == 0 {
		return nil, errors.New("GDAL lists no drivers")
	}
	slices.Sort(all)
	drivers.names = slices.Compact(all)
	return drivers.names, nil
}

// skippedDrivers names all drivers but the wanted ones, as GDAL_SKIP has them. ogr2ogr and ogrinfo of GDAL
// 3.6 have no other way, and it also holds for a file that is opened because another one names it.
func skippedDrivers(ctx context.Context, wanted []string) (string, error) {
	all, err := Drivers(ctx)
	if err != nil {
		return "", err
	}
	for _, name := range wanted {
		if !slices.Contains(all, name) {
			return "", fmt.Errorf("this build of GDAL does not have the driver %s", name)
		}
	}
	skipped := slices.DeleteFunc(slices.Clone(all), func(name string) bool {
		return slices.Contains(wanted, name)
	})
	return strings.Join(skipped, ","), nil
}

// Protection is what keeps GDAL away from the rest of the machine.
type Protection struct {
	Files   bool `json:"files"`   // it reads its input and its libraries alone (Landlock)
	Network bool `json:"network"` // it has no sockets (seccomp)
	User    bool `json:"user"`    // it is another user than this process
	UID     int  `json:"uid"`
}

func (p Protection) String() string {
	if !p.Files && !p.Network {
		return "no cage on this system: named drivers and an empty environment alone"
	}
	text := "the files of the whole machine"
	if p.Files {
		text = "its input and libraries alone (landlock)"
	}
	if p.Network {
		text += ", no network (seccomp)"
	} else {
		text += ", the network"
	}
	if p.User {
		return fmt.Sprintf("%s, as user %d", text, p.UID)
	}
	return text + ", as the user of this process"
}

// Probe starts a cage that tries to leave itself, and reports what stopped it.
func Probe(ctx context.Context) (Protection, error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	cmd, err := cageCommand(ctx, Call{}, runEnvironment(""))
	if err != nil {
		return Protection{}, err
	}
	out, err := cmd.Output()
	if err != nil {
		return Protection{}, fmt.Errorf("start the cage of GDAL: %w", err)
	}
	var p Protection
	if err := json.Unmarshal(out, &p); err != nil {
		return Protection{}, fmt.Errorf("read the report of the cage of GDAL: %w", err)
	}
	p.User = p.UID != os.Getuid()
	return p, nil
}

// Tail is an io.Writer that keeps the last bytes that are written to it, and
// whether GDAL reported an error in any of them.
type Tail struct {
	kept   []byte
	failed bool
}

// maxKept is how many bytes of what a program says go into an error.
const maxKept = 2000

func (t *Tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	t.failed = t.failed || bytes.Contains(t.kept, []byte("ERROR"))
	if len(t.kept) > maxKept {
		t.kept = t.kept[len(t.kept)-maxKept:]
	}
	return len(p), nil
}

// HasError reports whether GDAL reported an error, which need not change its exit status.
func (t *Tail) HasError() bool { return t.failed }

// Text returns the kept output without the white space around it.
func (t *Tail) Text() string { return string(bytes.TrimSpace(t.kept)) }
