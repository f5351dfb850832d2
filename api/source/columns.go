package source

// RowID names a row by its place in its files, for layers whose identifiers are missing or repeat.
var RowID = Column{Name: "id", SQL: "_file || '.' || _line"}

// Attrs is what the report tells of a row: pairs of a name and SQL over the other columns.
func Attrs(pairs string) Column {
	return Column{Name: "attrs", SQL: "jsonb_strip_nulls(jsonb_build_object(" + pairs + "))"}
}

func Internal(name string, from ...string) Column {
	return Column{Name: name, From: from, Internal: true}
}

// FromPath is a column that a named group of the path fills.
func FromPath(name string) Column {
	return Column{Name: name, From: []string{}, Template: "{" + name + "}", Internal: true}
}

// Shapes is the geometry of a layer of polygons in files that may name their projection.
func Shapes() *Geometry {
	return &Geometry{From: Feature, SRID: Lambert93, SRIDByScope: OfficialSRID, Polygon: true, Pieces: true, Bounds: France}
}

// ShapesInDegrees is the geometry of a layer of polygons in GeoJSON files, whose coordinates are degrees unless told
// otherwise.
func ShapesInDegrees() *Geometry {
	return &Geometry{From: Feature, SRID: 4326, Polygon: true, Pieces: true, Bounds: France}
}

// OwnColumns begin the columns of a format of ours that tells one kind of fact of communes of today.
func OwnColumns(kind string) []Column {
	return []Column{
		{Name: "level", SQL: "'commune'"},
		{Name: "code", From: []string{"commune"}, Required: true, Match: `[0-9][0-9AB][0-9]{3}`},
		{Name: "kind", SQL: "'" + kind + "'"},
	}
}

// NotOfToday refuses codes that no commune has today: what was told of one before may not hold for the whole of that
// which it was merged into.
var NotOfToday = Rule{
	When:   `NOT EXISTS (SELECT FROM geo.commune k WHERE k.code = stage.code AND k.type = 'commune-actuelle')`,
	Reason: "'no commune of today has code ' || code",
}

// UnknownCommune refuses codes that no commune ever had. Each code is looked up once: OFFSET 0 keeps the planner from asking
// again for each row, here and below. Most codes are those of today, which one join finds together.
var UnknownCommune = Rule{
	When: `code IN (SELECT c.code FROM (SELECT DISTINCT s.code FROM stage s
		WHERE s.code NOT IN (SELECT k.code FROM geo.commune k WHERE k.commune_code IS NOT NULL) OFFSET 0) c WHERE geo.commune_today(c.code) IS NULL)`,
	Reason: "'no commune has code ' || code",
}

// OnceACommune is a condition for the rows that say again what another one says of the same commune of today: a fact is
// listed under the code of each commune that was merged. The row under the code of today is kept, else the first by best.
func OnceACommune(key, best string) string {
	return `ctid IN (SELECT place FROM (
		SELECT s.ctid AS place, row_number() OVER (PARTITION BY t.today` + key + ` ORDER BY s.code = t.today DESC` + best + `, s._file, s._line) AS nth
		FROM stage s JOIN (
			SELECT code, geo.commune_today(code) AS today FROM (SELECT DISTINCT code FROM stage) c OFFSET 0
		) t USING (code) WHERE t.today IS NOT NULL) d WHERE nth > 1)`
}

// Lacks complains of a measure that a file has no figure of: a column of it has another name, or is gone.
func Lacks(measures ...string) string {
	return `SELECT 'it has no figure of ' || m FROM unnest(` + SQLList(measures) + `) AS m WHERE m NOT IN (SELECT measure FROM stage)`
}
