package enrich

import "strings"

// Statement is one statement of the report, for those who ask the planner about it or time it alone.
type Statement struct {
	Name string
	SQL  string   // with numbered parameters
	Args []string // what each parameter is: idu, shape, commune, arrondissement, departement, covered
	Keys []Key    // what each column is; none for the statement that the report begins with
}

// Statements lists every statement of the report, the one it begins with first.
func Statements() ([]Statement, error) {
	all, err := statements()
	if err != nil {
		return nil, err
	}
	text, err := files.ReadFile("sql/begin.sql")
	if err != nil {
		return nil, err
	}
	sql, args := number(string(text))
	out := []Statement{{Name: "begin", SQL: sql, Args: args}}
	for _, s := range all {
		out = append(out, Statement{Name: strings.TrimSuffix(s.file, ".sql"), SQL: s.sql, Args: s.args, Keys: s.keys})
	}
	return out, nil
}
