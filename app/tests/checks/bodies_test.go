package checks_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
)

// bodyReaders are the ways of Fiber and fasthttp to the body of a
// request. Some decompress it, without a limit.
var bodyReaders = []string{"Body", "BodyRaw", "BodyParser", "PostBody", "PostArgs", "FormValue", "FormFile", "MultipartForm", "SaveFile",
	"BodyGunzip", "BodyUnbrotli", "BodyInflate", "BodyUnzstd", "BodyUncompressed", "BodyWriteTo", "RequestBodyStream", "BodyStream"}

// Bodies are read in one place, which never decompresses: no other code calls the methods that read one.
func TestBodiesAreReadInOnePlace(t *testing.T) {
	t.Parallel()
	skipped := regexp.MustCompile(`(^|/)(httpbody|bench|harness)/|_test\.go$`)
	files := 0
	eachFile(t, os.DirFS(testkit.Root(t)), func(path string) bool {
		return strings.HasSuffix(path, ".go") && !skipped.MatchString(path)
	}, func(path, text string) {
		files++
		for _, fault := range bodyFaults(t, path, text) {
			t.Error(fault)
		}
	})
	if files < 200 {
		t.Errorf("only %d files were looked at", files)
	}
}

// The check itself finds what it is there for.
func TestBodyReadersAreReported(t *testing.T) {
	t.Parallel()
	const head = "package x\nimport `github.com/gofiber/fiber/v2`\nfunc f(c *fiber.Ctx, r *fasthttp.Response) { _ = "
	for text, want := range map[string]int{"c.Body()": 1, "c.Request().Body()": 1, "c.FormValue(`a`)": 1, "c.Context().PostArgs()": 1,
		"c.Request().BodyUncompressed()": 1, "r.Body()": 0, "c.Response().Body()": 0, "httpbody.Raw(c)": 0} {
		if got := bodyFaults(t, "x.go", head+text+" }"); len(got) != want {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// bodyFaults are the calls that read the body of a request; a response has one too.
func bodyFaults(t *testing.T, path, text string) (faults []string) {
	t.Helper()
	set := token.NewFileSet()
	file := testkit.Must(parser.ParseFile(set, path, text, parser.SkipObjectResolution))(t)
	if !slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool {
		return strings.Contains(i.Path.Value, "gofiber/fiber") || strings.Contains(i.Path.Value, "valyala/fasthttp")
	}) {
		return nil
	}
	responses := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			if star, ok := n.Type.(*ast.StarExpr); ok {
				if of, ok := star.X.(*ast.SelectorExpr); ok && of.Sel.Name == "Response" {
					for _, name := range n.Names {
						responses[name.Name] = true
					}
				}
			}
		case *ast.CallExpr:
			call, ok := n.Fun.(*ast.SelectorExpr)
			if !ok || !slices.Contains(bodyReaders, call.Sel.Name) || isResponse(call.X, responses) {
				return true
			}
			faults = append(faults, set.Position(n.Pos()).String()+": ."+call.Sel.Name+"() reads a body; use package httpbody")
		}
		return true
	})
	return faults
}

func isResponse(x ast.Expr, responses map[string]bool) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return responses[x.Name]
	case *ast.CallExpr:
		of, ok := x.Fun.(*ast.SelectorExpr)
		return ok && of.Sel.Name == "Response"
	}
	return false
}
