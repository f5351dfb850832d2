package format

import (
	"errors"
	"fmt"
	"io"
	"os"

	"arpent/internal/opendata/source"
)

// part is a file, or a layer of one, that is read as one of several.
type part struct {
	name string // that its errors begin with; may be empty
	open func() (Reader, error)
}

// partsReader reads parts one after the other.
type partsReader struct {
	dir        string // of what was unpacked, which is removed in the end
	parts      []part // the first of them is read
	current    Reader // nil: it is not open yet
	isNumbered bool   // records are numbered through all parts, not as lines of their own
	before     int64  // records of the parts before
	count      int64  // records so far
}

// openParts unpacks the files that are meant, and reads the parts that list makes of their paths.
func openParts(in input, list func(paths []string, dir string) ([]part, error)) (Reader, error) {
	dir, err := os.MkdirTemp(in.o.Temp, tempName)
	if err != nil {
		return nil, err
	}
	paths, err := unpackWanted(in, dir)
	if err == nil && in.spec.Member == "" && len(paths) > 1 {
		err = fmt.Errorf("it holds %d files that fit; expected one", len(paths))
	}
	r := &partsReader{dir: dir, isNumbered: in.spec.Format != source.CSV}
	if err == nil {
		r.parts, err = list(paths, dir)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return r, nil
}

// Next implements Reader. Errors name the part that they are of.
func (r *partsReader) Next() (Record, error) {
	for len(r.parts) > 0 {
		var rec Record
		var err error
		if r.current == nil {
			if r.current, err = r.parts[0].open(); err != nil {
				r.current = nil // not an interface that holds nothing
			}
		}
		if err == nil {
			rec, err = r.current.Next()
		}
		bad, isRecord := errors.AsType[*RecordError](err)
		name := r.parts[0].name
		switch {
		case err == io.EOF:
			err = r.closePart()
			r.parts, r.before = r.parts[1:], r.count
			if err != nil {
				return Record{}, err
			}
		case isRecord && r.isNumbered:
			r.count = r.before + bad.Line
			return rec, &RecordError{r.count, bad.Reason}
		case isRecord:
			return rec, &RecordError{bad.Line, "in " + name + ": " + bad.Reason}
		case err != nil && name != "":
			return rec, fmt.Errorf("%s: %w", name, err)
		default:
			if r.isNumbered {
				r.count = r.before + rec.Line
				rec.Line = r.count
			}
			return rec, err
		}
	}
	return Record{}, io.EOF
}

func (r *partsReader) closePart() error {
	open := r.current
	if r.current = nil; open == nil {
		return nil
	}
	return open.Close()
}

// Projection implements Reader.
func (r *partsReader) Projection() int {
	if r.current == nil {
		return 0
	}
	return r.current.Projection()
}

// Close implements Reader.
func (r *partsReader) Close() error { return errors.Join(r.closePart(), os.RemoveAll(r.dir)) }
