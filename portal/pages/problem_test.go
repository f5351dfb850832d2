package pages

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"arpent/app/dev/testkit"
)

// Whatever a form rejects, the reader sees why in their language.
func TestEveryProblemHasATextInBothLanguages(t *testing.T) {
	t.Parallel()
	file := testkit.Must(parser.ParseFile(token.NewFileSet(), "../../auth/problem.go", nil, 0))(t)
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Names) != 1 || len(spec.Values) != 1 || len(spec.Names[0].Name) < 5 || spec.Names[0].Name[:4] != "Code" {
			return true
		}
		code := testkit.Must(strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value))(t)
		found++
		if text := problemTexts[code]; code != "wait" && (text[0] == "" || text[1] == "") {
			t.Errorf("%s has no text in both languages", code)
		}
		return true
	})
	if found < 15 {
		t.Fatalf("found %d codes only", found)
	}
}
