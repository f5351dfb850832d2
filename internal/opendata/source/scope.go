package source

// DepartementCode, CommuneCode and PlaceCode match the scopes in file names.
const (
	DepartementCode = `2[AB]|97[1-6]|[0-9]{2}`
	CommuneCode     = `[0-9][0-9AB][0-9]{3}`
	PlaceCode       = `(?P<scope>` + DepartementCode + `|` + CommuneCode + `)`
)

// WholeDepartement rejects a file that is named after a département, or after nothing, and holds fewer
// rows than the smallest one would: places it lacks would count as having nothing.
// Saint-Pierre-et-Miquelon is smaller than any.
func WholeDepartement(minRows string) string {
	return `SELECT 'it holds ' || count(*) || ' rows, too few for the whole of what it is named after'
		FROM (SELECT file_scope FROM stage LIMIT ` + minRows + `) s
		HAVING count(*) < ` + minRows + ` AND coalesce(max(char_length(file_scope)), 0) < 5 AND max(file_scope) IS DISTINCT FROM '975'`
}

// WholeCountry rejects a file without a place in its name that is too small for the whole country.
func WholeCountry(minRows string) string {
	return `SELECT 'it holds ' || rows || ' rows, too few for the whole country'
		FROM (SELECT count(*) AS rows FROM (SELECT FROM stage LIMIT ` + minRows + `) s) c
		WHERE rows < ` + minRows + ` AND NOT EXISTS (SELECT FROM stage WHERE file_scope IS NOT NULL)`
}

// IDU matches a parcel's reference: commune, prefix, section, number.
const IDU = `([0-9]{2}|2[AB])[0-9]{3}[0-9]{3}[0-9A-Z]{2}[0-9]{4}`

// FileDay matches a date in a file name.
const FileDay = `(?P<vintage>[0-9]{4}-[0-9]{2}-[0-9]{2})`

// scopeIsCode tests that the scope of a load is the code of a commune or département, not a path.
const scopeIsCode = `file_scope ~ '^[0-9][0-9AB][0-9]{0,3}$'`

// OfScope rejects rows whose code, in a column, is not of the place that the file is named after.
func OfScope(column string) Rule {
	return Rule{
		When:   scopeIsCode + ` AND NOT starts_with(` + column + `, file_scope)`,
		Reason: column + ` || ' is not in ' || file_scope || ', which the file is named after'`,
	}
}

// FileScope is the scope in the name of the file, for rules.
var FileScope = Column{Name: "file_scope", Template: "{scope}", Internal: true}
