// Package migrations holds the numbered SQL files, the functions and the rights of the database. A numbered
// file is never edited once it is released. A function is defined by its file in the folder functions, which
// is applied after them at each migration; the rights in the folder rights come last.
package migrations

import (
	"embed"
	"io/fs"
)

// Files are the numbered migrations, in the form goose reads, and the files of functions.
//
//go:embed *.sql functions/*.sql rights/*.sql
var Files embed.FS

// Rights returns the statements that give the roles of the database their rights. They can be repeated.
func Rights() string { return joinFiles("rights/*.sql") }

// Functions returns the statements that make the functions, or replace them.
func Functions() string { return joinFiles("functions/*.sql") }

// joinFiles returns the embedded files that match pattern, one after the other.
func joinFiles(pattern string) (statements string) {
	names, err := fs.Glob(Files, pattern)
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
