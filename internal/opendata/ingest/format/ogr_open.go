package format

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"arpent/internal/opendata/source"
)

// openGDAL reads the layers of a file, or of the files of an archive, one after the other.
func openGDAL(ctx context.Context, in input) (Reader, error) {
	dir, err := os.MkdirTemp(in.o.Temp, tempName)
	if err != nil {
		return nil, err
	}
	r := &gdalFiles{ctx: ctx, dir: dir, geometry: in.o.Geometry, srid: in.o.SRID}
	if r.pending, err = findLayers(ctx, in, dir); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return r, nil
}

// gdalLayer is a layer to be read.
type gdalLayer struct {
	path, member, name string
	format             source.Format
	options            []string // for opening the file
}

// gdalFiles reads layers one after the other.
type gdalFiles struct {
	ctx      context.Context
	dir      string // where archives are unpacked
	geometry *source.Geometry
	srid     int
	pending  []gdalLayer
	current  *gdalFeatures
	count    int64 // records of the layers before
	last     int64
}

func (r *gdalFiles) Next() (Record, error) {
	for len(r.pending) > 0 {
		if r.current == nil {
			var err error
			if r.current, err = r.startLayer(r.pending[0]); err != nil {
				return Record{}, err
			}
		}
		rec, err := r.current.Next()
		if err == io.EOF {
			r.current.stop()
			r.current, r.pending, r.count = nil, r.pending[1:], r.last
			continue
		}
		if bad, ok := errors.AsType[*RecordError](err); ok {
			bad.Line += r.count
			r.last = bad.Line
			return rec, bad
		}
		rec.Line += r.count
		r.last = rec.Line
		rec.Fields = layerFields{rec.Fields, r.pending[0]}
		return rec, err
	}
	return Record{}, io.EOF
}

func (r *gdalFiles) startLayer(l gdalLayer) (*gdalFeatures, error) {
	if r.geometry == nil {
		return runOGR(r.ctx, l, "-nlt", "NONE")
	}
	args := []string{"-dim", "XY"}
	projected, err := hasProjection(r.ctx, l)
	switch {
	case err != nil:
		return nil, err
	case projected:
	case r.geometry.MetricSRID != 0 && r.srid == wgs84:
		return runOGR(r.ctx, l, args...) // each shape is looked at for what it is
	default:
		args = append(args, "-s_srs", fmt.Sprintf("EPSG:%d", r.srid))
	}
	p, err := runOGR(r.ctx, l, append(args, "-t_srs", "EPSG:4326")...)
	if err != nil {
		return nil, err
	}
	p.srid = wgs84
	return p, nil
}

func (r *gdalFiles) Projection() int { return r.current.srid }

func (r *gdalFiles) Close() error {
	if r.current != nil {
		r.current.stop()
	}
	return os.RemoveAll(r.dir)
}

// layerFields are the cells of a record with the names of where it is from.
type layerFields struct {
	Fields
	from gdalLayer
}

func (f layerFields) Text(name string) (string, bool) {
	switch name {
	case "_member": // old archives have names in whatever alphabet
		return strings.ToValidUTF8(f.from.member, "\uFFFD"), true
	case "_layer":
		return strings.ToValidUTF8(f.from.name, "\uFFFD"), true
	default:
		return f.Fields.Text(name)
	}
}

// findLayers lists the layers of a file, or of the members of an archive, that the declaration means.
func findLayers(ctx context.Context, in input, dir string) ([]gdalLayer, error) {
	paths, err := unpackWanted(in, dir)
	if err != nil {
		return nil, err
	}
	if in.spec.Member == "" && len(paths) > 1 {
		return nil, fmt.Errorf("it holds %d files that fit; expected one", len(paths))
	}
	var out []gdalLayer
	var without error
	for _, p := range paths {
		found, err := layersOf(ctx, p, in.spec)
		if errors.Is(err, errNoMember) {
			without = err
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, l := range found {
			l.member = memberName(p, dir)
			out = append(out, l)
		}
	}
	if len(out) == 0 {
		return nil, without
	}
	return out, nil
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
func geoPackageTables(ctx context.Context, path string) ([]string, error) {
	rows, err := geoPackageSchema(ctx, path)
	if err != nil {
		return nil, err
	}
	base := filepath.Base(path)
	var tables []string
	for _, r := range rows {
		statement := sqlToken.ReplaceAllString(r.sql, " ")
		switch {
		case r.sql == "": // the index of a key
		case !passiveObject.MatchString(statement):
			return nil, fmt.Errorf("%s holds %q, created by %.60q: only ordinary tables are read", base, r.name, r.sql)
		case !plainTable.MatchString(statement):
		case computedColumn.MatchString(statement):
			return nil, fmt.Errorf("%s holds the table %q, whose values are computed as they are read", base, r.name)
		default:
			tables = append(tables, r.name)
		}
	}
	return tables, nil
}

type schemaRow struct{ name, sql string }

func geoPackageSchema(ctx context.Context, path string) ([]schemaRow, error) {
	p, err := runOGR(ctx, gdalLayer{path: path, format: source.GeoPackage}, "-sql", geoPackageSchemaSQL, "-nlt",
		"NONE")
	if err != nil {
		return nil, err
	}
	defer p.stop()
	const maxTables = 10_000
	var rows []schemaRow
	for {
		rec, err := p.Next()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the tables of %s: %w", filepath.Base(path), err)
		}
		var r schemaRow
		r.name, _ = rec.Fields.Text("name")
		r.sql, _ = rec.Fields.Text("sql")
		if rows = append(rows, r); len(rows) > maxTables {
			return nil, fmt.Errorf("%s holds more than %d tables", filepath.Base(path), maxTables)
		}
	}
}
