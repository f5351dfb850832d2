// Package migrations holds the numbered SQL files. A file is never edited once it is merged.
package migrations

import "embed"

// Files are the migrations, in the form goose reads.
//
//go:embed *.sql
var Files embed.FS
