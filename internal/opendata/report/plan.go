package report

import (
	_ "embed"
	"io/fs"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Subject is what statements are asked about.
type Subject struct {
	Parcel
	Covered []string           // layers that are loaded for its place
	edges   map[string]float64 // by layer: metres to where the area ends that it is loaded for, where it does
}

// namedItems is how many items a list may have where the call names the keys that it wants.
const namedItems = 100

// listLength returns how many items of a list are given that has limit of them in a report with all keys.
func (s *Subject) listLength(limit int) int {
	if s.Keys != nil {
		return max(limit, namedItems)
	}
	return limit
}

// input is an argument that is read from the subject.
type input func(*Subject) any

// inputs are the arguments that every statement can name.
var inputs = pgx.NamedArgs{
	"idu":            input(func(s *Subject) any { return s.IDU }),
	"commune":        input(func(s *Subject) any { return s.Commune }),
	"arrondissement": input(func(s *Subject) any { return s.Arrondissement }),
	"communes":       input(func(s *Subject) any { return []string{s.Commune, s.Arrondissement} }),
	"departement":    input(func(s *Subject) any { return s.Departement }),
	"shape":          input(func(s *Subject) any { return s.Outline }),
	"nearIDUs":       input(func(s *Subject) any { return s.Near.IDUs }),
	"nearOutlines":   input(func(s *Subject) any { return s.Near.Outlines }),
	"covered":        input(func(s *Subject) any { return s.Covered }),
	"address":        input(func(s *Subject) any { return s.Address }),
	// the call names the keys that it wants
	"named": input(func(s *Subject) any { return s.Keys != nil }),
}

func (s *statement) bindArgs(about *Subject) []any {
	out := make([]any, len(s.args))
	for i, a := range s.args {
		out[i] = a
		if read, ok := a.(input); ok {
			out[i] = read(about)
		}
	}
	return out
}

// The statements that read what all others start from.
var (
	//go:embed covered.sql
	coveredSQL string
	//go:embed loads.sql
	loadsSQL string
	//go:embed edge.sql
	edgeSQL string

	selectCovered, selectLoads = mustPrepare("covered.sql", coveredSQL), mustPrepare("loads.sql", loadsSQL)
)

func mustPrepare(file, text string) statement {
	s, err := prepareStatement(Query{File: file}, text)
	if err != nil {
		panic(err) // the files are embedded in the program
	}
	return s
}

// Statement is one statement of the report, for those who ask the planner about it or time it alone.
type Statement struct {
	Name string
	SQL  string               // with numbered parameters
	Args func(*Subject) []any // in their order
}

// Statements lists every statement of the report, those that it begins with first.
func (c *Catalogue) Statements() []Statement {
	var out []Statement
	for _, s := range append([]statement{selectCovered, selectLoads}, c.statements...) {
		out = append(out, Statement{Name: strings.TrimSuffix(s.File, ".sql"), SQL: s.sql, Args: s.bindArgs})
	}
	return out
}

// ForCommunes returns a statement of the report as one that answers for every commune of today and every
// arrondissement: its code, as the column place, then the columns of the statement. The rows of a place are
// in the order of the statement, which is to ask by the codes of the commune alone, and by an index on them.
// A city is asked for with its arrondissements, an arrondissement with its city, as the report of a parcel
// does. ForCommunes returns an error for a missing file.
func ForCommunes(files fs.FS, file string, args Args) (string, error) {
	text, err := fs.ReadFile(files, file)
	if err != nil {
		return "", err
	}
	// The longer name first: @commune also begins @communes.
	columns := []string{"@communes", "k.codes", "@commune", "k.code", "@arrondissement", "k.code"}
	for name, n := range args {
		columns = append(columns, "@"+name, strconv.Itoa(n))
	}
	statement := strings.NewReplacer(columns...).Replace(string(text))
	return selectCommunes + "CROSS JOIN LATERAL (\n" + statement + "\n) s", nil
}

// selectCommunes reads each commune with its own code and those of its arrondissements, and each
// arrondissement with its own code and that of its city. 35 000 rows.
const selectCommunes = `SELECT k.code AS place, s.* FROM (
	SELECT c.code, array_agg(p.code::text) AS codes FROM geo.commune c
	JOIN geo.commune p ON p.commune_code = c.code AND p.type IN ('commune-actuelle', 'arrondissement-municipal')
	WHERE c.type = 'commune-actuelle' GROUP BY c.code
	UNION ALL SELECT code, ARRAY[code, commune_code]::text[] FROM geo.commune
	WHERE type = 'arrondissement-municipal' AND commune_code IS NOT NULL) k
`
