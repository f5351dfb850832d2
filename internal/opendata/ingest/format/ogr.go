package format

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/transform"

	"arpent/internal/opendata/ingest/gdal"
	"arpent/internal/opendata/source"
)

// geoJSONLines is what ogr2ogr writes: a feature a line.
const geoJSONLines source.Format = "geojsonseq"

// runOGR starts ogr2ogr on a layer, or on the whole file of one without a name, and reads its features.
func runOGR(ctx context.Context, l gdalLayer, args ...string) (*gdalFeatures, error) {
	p, err := startOGR(ctx, l, "GeoJSONSeq", append([]string{"-lco", "RS=NO", "-lco", "COORDINATE_PRECISION=9"},
		args...)...)
	if err != nil {
		return nil, err
	}
	out := p.out
	if l.isMixed {
		out = transform.NewReader(out, mixedDecoder{})
	}
	records := newJSONReader(bufio.NewReaderSize(out, readBufferBytes), source.Read{Format: geoJSONLines}, nil)
	from := map[string]string{ // old archives have names in whatever alphabet
		"_member": strings.ToValidUTF8(l.member, "\uFFFD"), "_layer": strings.ToValidUTF8(l.name, "\uFFFD")}
	return &gdalFeatures{gdalProcess: p, records: records, from: from}, nil
}

// startOGR starts ogr2ogr, which writes a layer into a pipe, with the driver of the output.
func startOGR(ctx context.Context, l gdalLayer, output string, args ...string) (*gdalProcess, error) {
	files, err := ownFiles(l.path, l.format)
	if err != nil {
		return nil, err
	}
	command := []string{"-f", output, "/vsistdout/", l.path}
	if l.name != "" {
		command = append(command, l.name)
	}
	command = slices.Concat(command, l.options, args)
	ctx, cancel := context.WithCancel(ctx)
	p := &gdalProcess{cancel: cancel}
	p.cmd, err = gdal.Command(ctx, gdal.Call{
		Program: "ogr2ogr", Drivers: []string{ogrDrivers[l.format], output}, Args: command, Reads: files,
	})
	if err != nil {
		cancel()
		return nil, err
	}
	p.cmd.Stderr = &p.complaints
	p.out, err = p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return p, nil
}

// gdalProcess is a running ogr2ogr. Its exit status counts as much as its
// output: a cut file ends early and quietly.
type gdalProcess struct {
	out        io.Reader
	cmd        *exec.Cmd
	cancel     context.CancelFunc
	complaints gdal.Tail
	end        error // nil: it runs
}

// waitForEnd waits for the process once its output has ended. It returns io.EOF, or an error
// for a file that GDAL did not read to its end.
func (p *gdalProcess) waitForEnd() error {
	if p.end != nil {
		return p.end
	}
	p.end = io.EOF
	if err := p.cmd.Wait(); err != nil {
		p.end = fmt.Errorf("ogr2ogr: %w: %s", err, p.complaints.Text())
	} else if p.complaints.HasError() {
		p.end = fmt.Errorf("ogr2ogr: %s", p.complaints.Text())
	}
	return p.end
}

func (p *gdalProcess) stop() {
	p.cancel()
	if p.end == nil {
		_ = p.cmd.Wait() // it was asked to stop; how it ended is of no interest
	}
}

// gdalFeatures are the features that a running ogr2ogr writes, a line each.
type gdalFeatures struct {
	*gdalProcess
	records *jsonReader
	from    map[string]string // fields of all records
	srid    int               // of what it writes; 0: not known
}

func (f *gdalFeatures) Next() (Record, error) {
	rec, err := f.records.Next()
	if err == io.EOF {
		return Record{}, f.waitForEnd()
	}
	rec.Fields = overlay{rec.Fields, f.from}
	return rec, err
}

func (f *gdalFeatures) Projection() int { return f.srid }

func (f *gdalFeatures) Close() error {
	f.stop()
	return nil
}

// describeTimeout is how long GDAL may take to list what is in a file.
const describeTimeout = 5 * time.Minute

func runOGRInfo(ctx context.Context, l gdalLayer, args ...string) (string, error) {
	files, err := ownFiles(l.path, l.format)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, describeTimeout)
	defer cancel()
	out, err := gdal.Output(ctx, gdal.Call{Program: "ogrinfo", Drivers: []string{ogrDrivers[l.format]},
		Args: args, Reads: files})
	return string(out), err
}

var layerLine = regexp.MustCompile(`(?m)^\d+: (.+?)(?: \([^()]*\))?$`)

// layerNames lists the layers of a file. One of them may be called as an
// option of ogr2ogr is: such a file is refused.
func layerNames(ctx context.Context, file gdalLayer) ([]string, error) {
	out, err := runOGRInfo(ctx, file, append([]string{"-ro", "-q", file.path}, file.options...)...)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range layerLine.FindAllStringSubmatch(out, -1) {
		if err := rejectOptionName(m[1]); err != nil {
			return nil, err
		}
		names = append(names, m[1])
	}
	return names, nil
}

// layersOf finds the first of the wanted layers in a file; with none wanted, the only layer.
func layersOf(ctx context.Context, path string, spec source.Read) ([]gdalLayer, error) {
	if spec.Format == source.Shapefile {
		return shapefileLayer(path)
	}
	if err := checkSignature(path, spec.Format); err != nil {
		return nil, err
	}
	var tables []string
	if spec.Format == source.GeoPackage { // before GDAL describes its layers
		var err error
		if tables, err = geoPackageTables(ctx, path); err != nil {
			return nil, err
		}
	}
	names, err := layerNames(ctx, gdalLayer{path: path, format: spec.Format})
	if err != nil {
		return nil, err
	}
	found, err := pickLayers(names, spec.Layers)
	if err != nil {
		return nil, err
	}
	layers := make([]gdalLayer, len(found))
	for i, name := range found {
		if spec.Format == source.GeoPackage && !slices.Contains(tables, name) {
			return nil, fmt.Errorf("its layer %q is no table: only ordinary tables are read", name)
		}
		layers[i] = gdalLayer{path: path, format: spec.Format, name: name}
	}
	return layers, nil
}

// shapefileLayer is the only layer of a Shapefile, which has the name of the file: GDAL, whose start takes
// longer than a small file, need not say it. Its files are checked.
func shapefileLayer(path string) ([]gdalLayer, error) {
	if err := checkSignature(path, source.Shapefile); err != nil {
		return nil, err
	}
	files, err := ownFiles(path, source.Shapefile)
	if err != nil {
		return nil, err
	}
	isNamed := false
	for _, file := range files {
		switch strings.ToLower(filepath.Ext(file)) {
		case ".shp", ".dbf":
			if err := checkLength(file); err != nil {
				return nil, err
			}
		case ".cpg": // names the encoding
			isNamed = true
		}
	}
	l := gdalLayer{path: path, format: source.Shapefile,
		name: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))}
	if !isNamed { // GDAL passes the bytes of the table on
		l.isMixed, l.options = true, []string{"-oo", "ENCODING="}
	}
	return []gdalLayer{l}, rejectOptionName(l.name)
}

// rejectOptionName refuses the name of a layer that ogr2ogr would take for an option.
func rejectOptionName(name string) error {
	if strings.HasPrefix(name, "-") {
		return fmt.Errorf("its layer has the name %q", name)
	}
	return nil
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
