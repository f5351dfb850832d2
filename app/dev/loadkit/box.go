package loadkit

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/topic"
)

// Box returns a database with everything that the box holds, and the options of the loader that has loaded
// it. The load takes most of a minute: the tests of all packages share it, each with a clone.
func Box(t testing.TB) (db *pgxpool.Pool, url string, o ingest.Options) {
	t.Helper()
	testkit.SkipIfShort(t)
	data := testkit.Box(t)
	o = ingest.Options{Catalogue: topic.Sources(), DataDir: data, StateDir: t.TempDir()}
	db, url = testkit.Prepared(t, "box", boxKey(t, data), func(ctx context.Context, db *pgxpool.Pool) error {
		o.DB = db
		_, err := ingest.New(o).Load(ctx, ingest.Request{})
		return err
	})
	o.DB = db
	return db, url, o
}

// boxKey changes with the files of the folder, and with everything that a load comes from.
func boxKey(t testing.TB, data string) string {
	t.Helper()
	var files strings.Builder
	err := filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintln(&files, path, info.Size(), info.ModTime())
		}
		return err
	})
	testkit.NoError(t, err)
	return files.String() + testkit.SourcesKey(t, "internal/opendata")
}
