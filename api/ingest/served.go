package ingest

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"arpent/api/ingest/format"
)

const servedFiles = `SELECT DISTINCT source, f->>'name' FROM geo.load, jsonb_array_elements(files) f WHERE active AND NOT demonstration`

// Files are the files that the active loads were made from.
type Files struct {
	names   map[string]bool
	sources map[string]bool
}

// ServedFiles lists the files of the active loads.
func (l *Loader) ServedFiles(ctx context.Context) (Files, error) {
	f := Files{map[string]bool{}, map[string]bool{}}
	rows, err := l.o.DB.Query(ctx, servedFiles)
	if err != nil {
		return f, fmt.Errorf("list the files of the loads: %w", err)
	}
	var source, name string
	_, err = pgx.ForEachRow(rows, []any{&source, &name}, func() error {
		f.sources[source], f.names[name] = true, true
		return nil
	})
	if err != nil {
		return f, fmt.Errorf("list the files of the loads: %w", err)
	}
	return f, nil
}

// Has reports whether a load was made from the file of this name, or from the archive that it is a volume of.
func (f Files) Has(name string) bool {
	if first, is := format.FirstVolume(name); is {
		name = first
	}
	return f.names[name]
}

// Serve reports whether each of the sources has a load.
func (f Files) Serve(sources []string) bool {
	for _, s := range sources {
		if !f.sources[s] {
			return false
		}
	}
	return true
}
