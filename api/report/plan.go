package report

import "strings"

// Statement is one statement of the report, for those who ask the planner about it or time it alone.
type Statement struct {
	Name string
	SQL  string   // with numbered parameters
	Args []string // what each parameter is: idu, shape, commune, arrondissement, departement, covered
	Keys []Key    // what each column is; none for the statement that the report begins with
}

// Statements lists every statement of the report, the one it begins with first.
func (c *Catalogue) Statements() []Statement {
	sql, args := number(begin)
	out := []Statement{{Name: "begin", SQL: sql, Args: args}}
	for _, s := range c.statements {
		out = append(out, Statement{Name: strings.TrimSuffix(s.File, ".sql"), SQL: s.sql, Args: s.args, Keys: s.Keys})
	}
	return out
}
