package convert

import (
	"slices"

	"github.com/cespare/xxhash/v2"
)

// KeyWatch follows the keys of rows to know that none is there twice, which the database would have to group
// all rows for. None is while each key is greater than the one before it, as in files that are sorted, or
// where the hashes of all differ.
type KeyWatch struct {
	at         int // of the key in a row
	last       string
	isUnsorted bool
	hashes     []uint64 // nil: they are not kept
	maxKeys    int
}

// NewKeyWatch follows the keys in a column of rows, -1 for none, and keeps the hashes of so many at most.
func NewKeyWatch(column, maxKeys int) *KeyWatch {
	w := &KeyWatch{at: column, isUnsorted: column < 0, maxKeys: maxKeys}
	if column >= 0 {
		w.hashes = []uint64{}
	}
	return w
}

// AddRow looks at the key of the next row.
func (w *KeyWatch) AddRow(row []any) {
	if w.isUnsorted && w.hashes == nil {
		return
	}
	key, there := row[w.at].(string)
	if w.isUnsorted = w.isUnsorted || !there || key <= w.last; !w.isUnsorted {
		w.last = key
	}
	switch {
	case w.hashes == nil:
	case !there || len(w.hashes) == w.maxKeys:
		w.hashes = nil
	default:
		w.hashes = append(w.hashes, xxhash.Sum64String(key))
	}
}

// HasUniqueKeys reports whether no key is there twice for certain. No row is added after it.
func (w *KeyWatch) HasUniqueKeys() bool {
	if !w.isUnsorted {
		return true
	}
	all := len(w.hashes)
	slices.Sort(w.hashes)
	return w.hashes != nil && len(slices.Compact(w.hashes)) == all
}
