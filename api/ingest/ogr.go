package ingest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"arpent/api/source"
)

// geoJSONLines is what ogr2ogr writes: a feature a line.
const geoJSONLines source.Format = "geojsonseq"

// memberOf finds the file that GDAL is pointed at among those of an archive.
var memberOf = map[source.Format]string{
	source.GeoPackage: `(?i)\.gpkg$`,
	source.Shapefile:  `(?i)\.shp$`,
	source.EDIGEO:     `(?i)\.thf$`,
}

// openGDAL reads a file through ogr2ogr, which writes its features in degrees, a line each, into a pipe. srid is the
// projection of a file that does not name its own.
func openGDAL(ctx context.Context, path string, spec source.Read, srid int, add func(int64)) (reader, error) {
	dir, err := os.MkdirTemp("", "arpent-load-")
	if err != nil {
		return nil, err
	}
	r, err := startGDAL(ctx, dir, path, spec, srid, add)
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return r, nil
}

func startGDAL(ctx context.Context, dir, path string, spec source.Read, srid int, add func(int64)) (reader, error) {
	paths, err := unpack(path, dir, add)
	if err != nil {
		return nil, err
	}
	member := spec.Member
	if member == "" {
		member = memberOf[spec.Format]
	}
	expr, err := regexp.Compile(member)
	if err != nil {
		return nil, err
	}
	paths = slices.DeleteFunc(paths, func(p string) bool { return !expr.MatchString(p) })
	if len(paths) != 1 {
		return nil, fmt.Errorf("it holds %d files that fit %q; expected one", len(paths), member)
	}
	wanted := spec.Layers
	if spec.Format == source.Shapefile {
		wanted = nil // its only layer has the name of the file
	}
	layer, err := findLayer(ctx, paths[0], wanted)
	if err != nil {
		return nil, err
	}
	args := []string{"-f", "GeoJSONSeq", "/vsistdout/", paths[0], layer,
		"-t_srs", "EPSG:4326", "-dim", "XY", "-lco", "RS=NO", "-lco", "COORDINATE_PRECISION=9"}
	projected, err := hasProjection(ctx, paths[0], layer)
	if err != nil {
		return nil, err
	}
	if !projected {
		if srid == 0 {
			return nil, errors.New("it names no projection, and none is declared for it")
		}
		args = append(args, "-s_srs", fmt.Sprintf("EPSG:%d", srid))
	}
	return runGDAL(ctx, dir, args)
}

func runGDAL(ctx context.Context, dir string, args []string) (reader, error) {
	ctx, cancel := context.WithCancel(ctx)
	p := &gdalProcess{cmd: exec.CommandContext(ctx, "ogr2ogr", args...), cancel: cancel, dir: dir}
	p.cmd.Stderr = &p.complaints
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, gdalMissing(err)
	}
	p.records = newJSONReader(bufio.NewReaderSize(out, readBufferBytes), geoJSONLines, nil)
	return p, nil
}

// gdalProcess is a running ogr2ogr. Its exit status counts as much as its output: a cut file ends early and quietly.
type gdalProcess struct {
	records    *jsonReader
	cmd        *exec.Cmd
	cancel     context.CancelFunc
	complaints tail
	dir        string
	done       bool
}

func (p *gdalProcess) next() (record, error) {
	rec, err := p.records.next()
	if err != io.EOF {
		return rec, err
	}
	p.done = true
	if err := p.cmd.Wait(); err != nil {
		return record{}, fmt.Errorf("ogr2ogr: %w: %s", err, p.complaints.text())
	}
	if strings.Contains(p.complaints.text(), "ERROR") {
		return record{}, fmt.Errorf("ogr2ogr: %s", p.complaints.text())
	}
	return record{}, io.EOF
}

// projection: ogr2ogr was told to write degrees.
func (p *gdalProcess) projection() int { return wgs84 }

func (p *gdalProcess) Close() error {
	p.cancel()
	if !p.done {
		_ = p.cmd.Wait() // it was told to stop; how it ended is of no interest
	}
	return os.RemoveAll(p.dir)
}

// tail keeps the last of what is written to it.
type tail struct{ kept []byte }

func (t *tail) Write(p []byte) (int, error) {
	const most = 2000
	t.kept = append(t.kept, p...)
	if len(t.kept) > most {
		t.kept = t.kept[len(t.kept)-most:]
	}
	return len(p), nil
}

func (t *tail) text() string { return string(bytes.TrimSpace(t.kept)) }

var layerLine = regexp.MustCompile(`(?m)^\d+: (.+?)(?: \([^()]*\))?$`)

// findLayer finds the first of the wanted layers in a file; with none wanted, the only layer.
func findLayer(ctx context.Context, path string, wanted []string) (string, error) {
	out, err := ogrinfo(ctx, "-ro", "-q", path)
	if err != nil {
		return "", err
	}
	var layers []string
	for _, m := range layerLine.FindAllStringSubmatch(out, -1) {
		layers = append(layers, m[1])
	}
	if len(wanted) == 0 && len(layers) == 1 {
		return layers[0], nil
	}
	for _, name := range wanted {
		if i, ok := nameIn(layers, name); ok {
			return layers[i], nil
		}
	}
	return "", fmt.Errorf("it has the layers %q; expected one of %q", layers, wanted)
}

func hasProjection(ctx context.Context, path, layer string) (bool, error) {
	out, err := ogrinfo(ctx, "-ro", "-so", path, layer)
	if err != nil {
		return false, err
	}
	_, after, _ := strings.Cut(out, "Layer SRS WKT:")
	return !strings.HasPrefix(strings.TrimSpace(after), "(unknown)"), nil
}

func ogrinfo(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "ogrinfo", args...)
	var complaints tail
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		if missing := gdalMissing(err); missing != err {
			return "", missing
		}
		return "", fmt.Errorf("ogrinfo: %w: %s", err, complaints.text())
	}
	return string(out), nil
}

func gdalMissing(err error) error {
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("GDAL is needed for this format: install gdal-bin: %w", err)
	}
	return err
}
