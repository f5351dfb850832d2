package ingest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"arpent/api/source"
)

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
	wanted := spec.Layers
	var options []string
	if spec.Format == source.Shapefile {
		wanted = nil // its only layer has the name of the file
		var err error
		if options, err = shapefileOptions(path); err != nil {
			return nil, err
		}
	}
	if err := genuine(path); err != nil {
		return nil, err
	}
	out, err := ogrinfo(ctx, append([]string{"-ro", "-q", path}, options...)...)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range layerLine.FindAllStringSubmatch(out, -1) {
		if strings.HasPrefix(m[1], "-") { // ogr2ogr would take it for an option
			return nil, fmt.Errorf("its layer has the name %q", m[1])
		}
		names = append(names, m[1])
	}
	found, err := pickLayers(names, wanted)
	if err != nil {
		return nil, err
	}
	layers := make([]gdalLayer, len(found))
	for i, name := range found {
		layers[i] = gdalLayer{path: path, name: name, options: options}
	}
	return layers, nil
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
