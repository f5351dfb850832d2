package ingest

import "arpent/internal/opendata/source"

// HasUniqueKeys reports whether no key of a source is certainly there twice, of which the hashes of so many are
// kept.
func HasUniqueKeys(src source.Source, keys []string, room int) bool {
	w := newKeyWatch(src, src.Dedupe.Key, room)
	for _, key := range keys {
		w.addRow([]any{key})
	}
	return w.hasUniqueKeys()
}
