package report_test

import (
	"slices"

	"arpent/api/ingest"
	"arpent/api/source"
	"arpent/api/topic"
)

// tryLoad loads one source that may be refused.
func (b *bench) tryLoad(name string) ingest.Outcome {
	b.t.Helper()
	out := b.loads(name)
	if len(out) == 0 {
		b.t.Fatalf("source %s takes none of the files", name)
	}
	return out[len(out)-1]
}

// takesAny tells whether a source takes a file.
func (b *bench) takesAny(name string) bool {
	b.t.Helper()
	return len(b.loads(name)) > 0
}

func (b *bench) loads(name string) []ingest.Outcome {
	b.t.Helper()
	all := topic.Sources()
	src := all[slices.IndexFunc(all, func(s source.Source) bool { return s.Name == name })]
	src.After = nil
	loader := ingest.New(ingest.Options{DB: b.db, Catalogue: []source.Source{src}, DataDir: b.data, StateDir: b.t.TempDir(), Packages: []string{}})
	out, _ := loader.Load(b.t.Context(), ingest.Request{Sources: []string{name}}) // the outcomes tell the errors, too
	return out
}
