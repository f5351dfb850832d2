package format

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"arpent/internal/opendata/source"
)

// findLayers lists the layers of files that the declaration means, which are read one after the other.
func findLayers(ctx context.Context, in input, paths []string, dir string) (layers []part, err error) {
	var without error
	for _, path := range paths {
		found, err := layersOf(ctx, path, in.spec)
		if errors.Is(err, errNoMember) {
			without = err
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, l := range found {
			l.member = memberName(path, dir)
			layers = append(layers, part{open: func() (Reader, error) { return startLayer(ctx, l, in.o) }})
		}
	}
	if len(layers) == 0 {
		return nil, without
	}
	return layers, nil
}

// gdalLayer is a layer to be read.
type gdalLayer struct {
	path, member, name string
	format             source.Format
	options            []string // for opening the file
	isMixed            bool     // no file says its encoding: texts are in UTF-8 or Windows-1252
}

func startLayer(ctx context.Context, l gdalLayer, o Options) (*gdalFeatures, error) {
	if o.Geometry == nil {
		return runOGR(ctx, l, "-nlt", "NONE")
	}
	args := []string{"-dim", "XY"}
	said, err := runOGRInfo(ctx, l, append([]string{"-ro", "-so", l.path, l.name}, l.options...)...)
	_, projection, _ := strings.Cut(said, "Layer SRS WKT:")
	switch {
	case err != nil:
		return nil, err
	case !strings.HasPrefix(strings.TrimSpace(projection), "(unknown)"):
	case o.Geometry.MetricSRID != 0 && o.SRID == wgs84:
		return runOGR(ctx, l, args...) // each shape is looked at for what it is
	default:
		args = append(args, "-s_srs", fmt.Sprintf("EPSG:%d", o.SRID))
	}
	p, err := runOGR(ctx, l, append(args, "-t_srs", "EPSG:4326")...)
	if err != nil {
		return nil, err
	}
	p.srid = wgs84
	return p, nil
}

// overlay is fields, before which others come that are not in the file.
type overlay struct {
	Fields
	named map[string]string
}

func (o overlay) Text(name string) (string, bool) {
	if text, is := o.named[name]; is {
		return text, true
	}
	return o.Fields.Text(name)
}

// memberName is the path of a file inside its archive.
func memberName(path, dir string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(rel) {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}

// commonStem is the path that the files of a Shapefile or of a grid have in common.
func commonStem(name string) string {
	name = strings.TrimSuffix(name, ".aux.xml")
	return strings.ToLower(strings.TrimSuffix(name, path.Ext(name)))
}

// geoPackageSchemaSQL lists the statements that SQLite runs to open a GeoPackage.
const geoPackageSchemaSQL = `SELECT name, coalesce(sql, '') AS sql FROM sqlite_master`

var (
	// passiveObject matches the statements that pass: they make tables, R-trees, indexes, and triggers, which
	// reading does not run.
	passiveObject = regexp.MustCompile(
		`(?i)^CREATE (TABLE|(UNIQUE )?INDEX|TRIGGER|VIRTUAL TABLE\s+\w*\s*USING rtree\s*\()`)
	plainTable = regexp.MustCompile(`(?i)^CREATE TABLE\s`)
	// computedColumn matches a column whose value is an expression, which is evaluated as it is read.
	computedColumn = regexp.MustCompile(`(?i)\bAS\s*\(`)
	// sqlToken matches what may contain any text, which are names and texts within quotes and comments, and
	// the mark of byte order, which SQLite takes for a blank.
	sqlToken = regexp.MustCompile(
		"(?s)'[^']*'|\"[^\"]*\"|`[^`]*`|\\[[^]]*\\]|--[^\n]*|/\\*.*?(\\*/|$)|\ufeff")
)

// geoPackageTables returns the tables of a GeoPackage. A virtual table reads what its definition names, such
// as another file, and a view or a computed column calls functions, which open files too: of virtual tables
// only the R-trees of the layers pass, and no view does, as GDAL evaluates views to describe them.
func geoPackageTables(ctx context.Context, path string) (tables []string, err error) {
	p, err := runOGR(ctx, gdalLayer{path: path, format: source.GeoPackage}, "-sql", geoPackageSchemaSQL, "-nlt",
		"NONE")
	if err != nil {
		return nil, err
	}
	defer p.Close()
	const maxTables = 10_000
	base := filepath.Base(path)
	for n := 0; ; n++ {
		rec, err := p.Next()
		if err == io.EOF {
			return tables, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the tables of %s: %w", base, err)
		}
		name, _ := rec.Fields.Text("name")
		sql, _ := rec.Fields.Text("sql")
		statement := sqlToken.ReplaceAllString(sql, " ")
		switch {
		case n == maxTables:
			return nil, fmt.Errorf("%s holds more than %d tables", base, maxTables)
		case sql == "": // the index of a key
		case !passiveObject.MatchString(statement):
			return nil, fmt.Errorf("%s holds %q, created by %.60q: only ordinary tables are read", base, name, sql)
		case !plainTable.MatchString(statement):
		case computedColumn.MatchString(statement):
			return nil, fmt.Errorf("%s holds the table %q, whose values are computed as they are read", base, name)
		default:
			tables = append(tables, name)
		}
	}
}
