package source

// RowID identifies a row by its position in its files, for layers
// whose identifiers are missing or not unique.
var RowID = Column{Name: "id", SQL: "_file || '.' || _line"}

// Attrs is the column of the attributes that the report reads. pairs lists names
// and SQL expressions over the other columns.
func Attrs(pairs string) Column {
	return Column{Name: "attrs", SQL: "jsonb_strip_nulls(jsonb_build_object(" + pairs + "))"}
}

// Internal is a column that rules and expressions read and the target lacks.
func Internal(name string, from ...string) Column {
	return Column{Name: name, From: from, Internal: true}
}

// FromPath is a column filled from a named group of the path.
func FromPath(name string) Column {
	return Column{Name: name, From: []string{}, Template: "{" + name + "}", Internal: true}
}

// Shapes is the geometry of a polygon layer in files that may declare their projection.
func Shapes() *Geometry {
	return &Geometry{From: Feature, SRID: Lambert93, SRIDByScope: OfficialSRID, Polygon: true, Subdivide: true,
		Bounds: France}
}

// ShapesInDegrees is the geometry of a polygon layer in GeoJSON files, whose coordinates are
// degrees unless the file declares a projection.
func ShapesInDegrees() *Geometry {
	return &Geometry{From: Feature, SRID: 4326, Polygon: true, Subdivide: true, Bounds: France}
}

// OwnColumns returns the first columns of a format of ours that holds
// one kind of fact about current communes.
func OwnColumns(kind string) []Column {
	return []Column{
		{Name: "level", SQL: "'commune'"},
		{Name: "code", From: []string{"commune"}, Required: true, Match: `[0-9][0-9AB][0-9]{3}`},
		{Name: "kind", SQL: "'" + kind + "'"},
	}
}

// NotOfToday rejects codes that no current commune has: a fact about a former commune may not hold
// for all of the commune it was merged into.
var NotOfToday = Rule{
	When:   `NOT EXISTS (SELECT FROM geo.commune k WHERE k.code = stage.code AND k.type = 'commune-actuelle')`,
	Reason: "'no commune of today has code ' || code",
}

// UnknownCommune rejects codes that no commune ever had, and leaves out those of communes that ended without
// a successor that is served, such as Saint-Barthélemy (97123). Each code is looked up once:
// OFFSET 0 keeps the planner from repeating the look-up for each row, here and below. Most codes
// are current, and one join finds all of those.
var UnknownCommune = Rule{
	When: `code IN (SELECT c.code FROM (SELECT DISTINCT s.code FROM stage s
		WHERE s.code NOT IN (SELECT k.code FROM geo.commune k WHERE k.commune_code IS NOT NULL) OFFSET 0) c WHERE geo.commune_today(c.code) IS NULL)`,
	Reason: `coalesce((SELECT 'commune ' || e.code || ' (' || e.name || ') ended on ' || e.day
		FROM geo.commune_ended e WHERE e.code = stage.code), 'no commune has code ' || code)`,
	LeaveOut: "code IN (SELECT e.code FROM geo.commune_ended e)",
}

// OnceACommune is a condition for the rows that repeat another row of the same current commune:
// some files list a fact under the code of each commune that was merged. The row under the
// current code is kept, else the first by best.
func OnceACommune(key, best string) string {
	return `ctid IN (SELECT place FROM (
		SELECT s.ctid AS place, row_number() OVER (PARTITION BY t.today` + key + ` ORDER BY s.code = t.today DESC` + best + `, s._file, s._line) AS nth
		FROM stage s JOIN (
			SELECT code, geo.commune_today(code) AS today FROM (SELECT DISTINCT code FROM stage) c OFFSET 0
		) t USING (code) WHERE t.today IS NOT NULL) d WHERE nth > 1)`
}

// Lacks reports each measure that a file has no figure of, because its column was renamed or removed.
func Lacks(measures ...string) string {
	return `SELECT 'it has no figure of ' || m FROM unnest(` + SQLList(measures) +
		`) AS m WHERE m NOT IN (SELECT measure FROM stage)`
}
