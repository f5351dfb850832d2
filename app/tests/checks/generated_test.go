package checks_test

import (
	"bytes"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"github.com/a-h/templ/generator"
	"github.com/a-h/templ/parser/v2"

	"arpent/app/dev/testkit"
)

// The code of a component is what its source says: what go tool templ generate would write, without the
// minute that building that program takes on a new machine.
func TestGeneratedCodeIsUpToDate(t *testing.T) {
	t.Parallel()
	root, components := testkit.Root(t), 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch name, generated := strings.CutSuffix(path, "_templ.go"); {
		case err != nil:
			return err
		case d.IsDir() && path != root && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case strings.HasSuffix(path, ".templ"):
			components++
			written, err := os.ReadFile(strings.TrimSuffix(path, ".templ") + "_templ.go")
			if err != nil || !bytes.Equal(written, componentCode(t, root, path)) {
				t.Errorf("the code of %s is out of date: run make generate", path)
			}
		case generated:
			if _, err := os.Stat(name + ".templ"); err != nil {
				t.Errorf("%s has no source any more", path)
			}
		}
		return nil
	})
	if err != nil || components < 50 {
		t.Errorf("%d components, %v", components, err)
	}
}

func componentCode(t *testing.T, root, path string) []byte {
	t.Helper()
	component := testkit.Must(parser.Parse(path))(t)
	name, err := filepath.Rel(root, path)
	testkit.NoError(t, err)
	var code bytes.Buffer
	_, err = generator.Generate(component, &code, generator.WithFileName(filepath.ToSlash(name)), generator.WithVersion(templ.Version()))
	testkit.NoError(t, err)
	return testkit.Must(format.Source(code.Bytes()))(t)
}
