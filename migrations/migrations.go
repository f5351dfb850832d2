// Package migrations holds the numbered SQL files and the functions of the database. A numbered file is never edited once it
// is released. A function is defined by its file in the folder functions, which is applied after them at each migration.
package migrations

import (
	"embed"
	"io/fs"
)

// Files are the numbered migrations, in the form goose reads, and the files of functions.
//
//go:embed *.sql functions/*.sql
var Files embed.FS

// Functions returns the statements that make the functions, or replace them.
func Functions() (statements string) {
	names, err := fs.Glob(Files, "functions/*.sql")
	if err != nil {
		panic(err) // the pattern is constant
	}
	for _, name := range names {
		text, err := Files.ReadFile(name)
		if err != nil {
			panic(err) // it is embedded
		}
		statements += string(text) + "\n"
	}
	return statements
}
