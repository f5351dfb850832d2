package format

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"arpent/api/source"
)

// geoPackageSchemaSQL lists the tables and views of a GeoPackage as they were created.
const geoPackageSchemaSQL = `SELECT type, name, coalesce(sql, '') AS sql FROM sqlite_master WHERE type IN ('table', 'view')`

var (
	virtualTable = regexp.MustCompile(`(?is)^\s*CREATE\s+VIRTUAL\s+TABLE\s.*?\bUSING\s+"?(\w+)`)
	// computedColumn matches a column whose value is an expression, which is evaluated as it is read.
	computedColumn = regexp.MustCompile(`(?is)\bGENERATED\s+ALWAYS\b|\bAS\s*\(`)
)

// geoPackageTables returns the ordinary tables of a GeoPackage. A virtual table reads what its definition names, such as
// another file, and a view or a computed column calls functions, which open files too: the only virtual tables that
// pass are the R-trees of the layers.
func geoPackageTables(ctx context.Context, path string) ([]string, error) {
	rows, err := geoPackageSchema(ctx, path)
	if err != nil {
		return nil, err
	}
	base := filepath.Base(path)
	var tables []string
	for _, r := range rows {
		module := virtualTable.FindStringSubmatch(r.sql)
		switch {
		case module != nil && !strings.EqualFold(module[1], "rtree"):
			return nil, fmt.Errorf("%s holds %q, a virtual table of %s: only ordinary tables are read", base, r.name, module[1])
		case r.kind == "view" && strings.HasPrefix(strings.ToLower(r.name), "gpkg_"):
			return nil, fmt.Errorf("%s holds the view %q in place of a table of the format", base, r.name)
		case r.kind == "table" && computedColumn.MatchString(r.sql):
			return nil, fmt.Errorf("%s holds the table %q, whose values are computed as they are read", base, r.name)
		case r.kind == "table" && module == nil:
			tables = append(tables, r.name)
		}
	}
	return tables, nil
}

type schemaRow struct{ kind, name, sql string }

func geoPackageSchema(ctx context.Context, path string) ([]schemaRow, error) {
	p, err := runOGR(ctx, gdalLayer{path: path, format: source.GeoPackage}, "-sql", geoPackageSchemaSQL, "-nlt", "NONE")
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
		for name, into := range map[string]*string{"type": &r.kind, "name": &r.name, "sql": &r.sql} {
			*into, _ = rec.Fields.Text(name)
		}
		if rows = append(rows, r); len(rows) > maxTables {
			return nil, fmt.Errorf("%s holds more than %d tables", filepath.Base(path), maxTables)
		}
	}
}
