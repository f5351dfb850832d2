package format

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"arpent/api/source"
)

// geoJSONLines is what ogr2ogr writes: a feature a line.
const geoJSONLines source.Format = "geojsonseq"

// runGDAL starts ogr2ogr, which writes its features into a pipe, a line each.
func runGDAL(ctx context.Context, args []string, srid int) (*gdalProcess, error) {
	ctx, cancel := context.WithCancel(ctx)
	p := &gdalProcess{cmd: exec.CommandContext(ctx, "ogr2ogr", args...), cancel: cancel, srid: srid}
	p.cmd.Stderr = &p.complaints
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, gdalMissing(err)
	}
	p.records = newJSONReader(bufio.NewReaderSize(out, readBufferBytes), source.Read{Format: geoJSONLines}, nil)
	return p, nil
}

// gdalProcess is a running ogr2ogr. Its exit status counts as much as its output: a cut file ends early and quietly.
type gdalProcess struct {
	records    *jsonReader
	cmd        *exec.Cmd
	cancel     context.CancelFunc
	complaints tail
	srid       int // of what it writes; 0: not known
	done       bool
}

func (p *gdalProcess) Next() (Record, error) {
	rec, err := p.records.Next()
	if err != io.EOF {
		return rec, err
	}
	p.done = true
	if err := p.cmd.Wait(); err != nil {
		return Record{}, fmt.Errorf("ogr2ogr: %w: %s", err, p.complaints.Text())
	}
	if strings.Contains(p.complaints.Text(), "ERROR") {
		return Record{}, fmt.Errorf("ogr2ogr: %s", p.complaints.Text())
	}
	return Record{}, io.EOF
}

func (p *gdalProcess) stop() {
	p.cancel()
	if !p.done {
		_ = p.cmd.Wait() // it was asked to stop; how it ended is of no interest
	}
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

func (t *tail) Text() string { return string(bytes.TrimSpace(t.kept)) }

func ogrinfo(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "ogrinfo", args...)
	var complaints tail
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		if missing := gdalMissing(err); missing != err {
			return "", missing
		}
		return "", fmt.Errorf("ogrinfo: %w: %s", err, complaints.Text())
	}
	return string(out), nil
}

// gdal runs a command of GDAL and returns what it writes. Beside the files that it reads it writes nothing.
func gdal(ctx context.Context, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, append([]string{"--config", "GDAL_PAM_ENABLED", "NO"}, args...)...)
	var complaints tail
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if missing := gdalMissing(err); missing != err {
		return nil, missing
	}
	if err == nil && bytes.Contains(complaints.kept, []byte("ERROR")) {
		err = errors.New("it was not read to its end")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", name, err, complaints.Text())
	}
	return out, nil
}

func gdalMissing(err error) error {
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("GDAL is needed for this format: install gdal-bin: %w", err)
	}
	return err
}

var layerLine = regexp.MustCompile(`(?m)^\d+: (.+?)(?: \([^()]*\))?$`)

// magic is how the files of a format begin.
var magic = map[string]string{".gpkg": "SQLite format 3\x00", ".shp": "\x00\x00\x27\x0a"}

// genuine complains about a file that is not what its name says. GDAL goes by the content, and some of its formats, all
// of them XML, read what the file names in its turn: other files of this machine, or addresses.
func genuine(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	start, err := bufio.NewReader(f).Peek(16)
	if err != nil && err != io.EOF {
		return err
	}
	ext := strings.ToLower(filepath.Ext(path))
	markup := bytes.HasPrefix(bytes.TrimLeft(start, "\ufeff \t\r\n"), []byte("<"))
	if markup || !bytes.HasPrefix(start, []byte(magic[ext])) {
		return fmt.Errorf("%s is not what its name says", filepath.Base(path))
	}
	return nil
}

// layersOf finds the first of the wanted layers in a file; with none wanted, the only layer.
func layersOf(ctx context.Context, path string, spec source.Read) ([]gdalLayer, error) {
	if spec.Format == source.Shapefile {
		return shapefileLayer(path)
	}
	if err := genuine(path); err != nil {
		return nil, err
	}
	out, err := ogrinfo(ctx, "-ro", "-q", path)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range layerLine.FindAllStringSubmatch(out, -1) {
		if err := noOption(m[1]); err != nil {
			return nil, err
		}
		names = append(names, m[1])
	}
	found, err := pickLayers(names, spec.Layers)
	if err != nil {
		return nil, err
	}
	layers := make([]gdalLayer, len(found))
	for i, name := range found {
		layers[i] = gdalLayer{path: path, name: name}
	}
	return layers, nil
}

// shapefileLayer is the only layer of a Shapefile, which has the name of the file: GDAL, whose start takes longer than a small file, need
// not say it.
func shapefileLayer(path string) ([]gdalLayer, error) {
	options, err := shapefileOptions(path)
	if err != nil {
		return nil, err
	}
	if err := genuine(path); err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return []gdalLayer{{path: path, name: name, options: options}}, noOption(name)
}

// noOption refuses the name of a layer that ogr2ogr would take for an option.
func noOption(name string) error {
	if strings.HasPrefix(name, "-") {
		return fmt.Errorf("its layer has the name %q", name)
	}
	return nil
}

// shapefileOptions checks the files of a Shapefile and says how to open it.
func shapefileOptions(path string) ([]string, error) {
	s, err := shapefileOf(path)
	if err != nil {
		return nil, err
	}
	if err := s.whole(); err != nil {
		return nil, err
	}
	encoding, err := s.encoding()
	if err != nil || encoding == "" {
		return nil, err
	}
	return []string{"-oo", "ENCODING=" + encoding}, nil
}

// pickLayers finds a layer by its name, or all that the first expression fits that fits any.
func pickLayers(names, wanted []string) ([]string, error) {
	if len(wanted) == 0 && len(names) == 1 {
		return names, nil
	}
	for _, name := range wanted {
		if i, ok := nameIn(names, name); ok {
			return names[i : i+1], nil
		}
		expr, err := regexp.Compile(`(?i)^(?:` + name + `)$`)
		if err != nil {
			return nil, err
		}
		var found []string
		for _, n := range names {
			if expr.MatchString(n) {
				found = append(found, n)
			}
		}
		if found != nil {
			return found, nil
		}
	}
	return nil, fmt.Errorf("%w: it has the layers %q; expected one of %q", errNoMember, names, wanted)
}

func hasProjection(ctx context.Context, l gdalLayer) (bool, error) {
	out, err := ogrinfo(ctx, append([]string{"-ro", "-so", l.path, l.name}, l.options...)...)
	if err != nil {
		return false, err
	}
	_, after, _ := strings.Cut(out, "Layer SRS WKT:")
	return !strings.HasPrefix(strings.TrimSpace(after), "(unknown)"), nil
}
