package checks_test

import (
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"arpent/app/dev/testkit"
)

// maxFiles is how many files a folder may hold, so that one look at it says what is there. Folders of data
// for tests and of numbered migrations are lists.
const maxFiles = 30

var lists = []string{".git", ".arpent", "bin", "data", "migrations", "node_modules", "testdata", "answers"}

func TestFoldersStaySmall(t *testing.T) {
	t.Parallel()
	root := testkit.Root(t)
	files := map[string]int{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(lists, d.Name()):
			return filepath.SkipDir
		case !d.IsDir():
			files[filepath.Dir(path)]++
		}
		return nil
	})
	testkit.NoError(t, err)
	for folder, n := range files {
		if n > maxFiles {
			t.Errorf("%s holds %d files, at most %d", folder, n, maxFiles)
		}
	}
}
