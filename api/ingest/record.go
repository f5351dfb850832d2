package ingest

import "strings"

// record is one row of a file, as read.
type record struct {
	line   int64 // line of a text file, number of the object otherwise; both start at 1
	fields fields
	shape  []byte // geometry in GeoJSON; nil when the record has none
}

// fields gives the cells of a record by the name they have in the file.
type fields interface {
	text(name string) (string, bool)
	list(name string) ([]string, bool)
}

// realFields are fields that hold whole lists of numbers, as the tiles of a raster do.
type realFields interface {
	reals(name string) ([]float32, bool)
}

// reader yields the records of a file. next returns io.EOF after the last one, a *refusal for a record that cannot be
// used while the others can, and any other error when the file is broken.
type reader interface {
	next() (record, error)
	// projection is the SRID that the file itself names; 0: it names none.
	projection() int
	Close() error
}

// refusal says why a record is not loaded.
type refusal struct {
	line   int64
	reason string
}

func (r *refusal) Error() string { return r.reason }

// nameIn finds a column by one of its names: exactly, else without regard to letter case and surrounding blanks.
func nameIn(names []string, wanted string) (int, bool) {
	found := -1
	for i, name := range names {
		if name == wanted {
			return i, true
		}
		if found < 0 && strings.EqualFold(strings.TrimSpace(name), wanted) {
			found = i
		}
	}
	return found, found >= 0
}
