package report

import (
	_ "embed"
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
