package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"arpent/internal/opendata/source"
)

// jsonReader reads objects one by one: the members of an array, of the
// "features" of a collection, or a line each.
type jsonReader struct {
	in      *recordLimit
	dec     *jsontext.Decoder // looks at each byte once, encoding/json three times
	close   func() error
	format  source.Format
	items   []string          // members that lead on from an object to the records in it
	pending []json.RawMessage // records of the object read last
	object  bool              // the records are in a member of one object
	keys    bool              // the members of an object are the records
	started bool
	count   int64
	srid    int // of a collection that names its own projection; 0: it does not
	last    feature
}

func newJSONReader(in io.Reader, spec source.Read, close func() error) *jsonReader {
	limited := &recordLimit{in: in, left: maxRecordBytes}
	return &jsonReader{
		in: limited, close: close, format: spec.Format, items: spec.Items, keys: spec.Keyed,
		// What encoding/json accepts is accepted.
		dec: jsontext.NewDecoder(limited, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
	}
}

func (r *jsonReader) Close() error { return r.close() }

func (r *jsonReader) Projection() int { return r.srid }

// recordLimit stops a file whose one record never ends, so that it cannot fill the memory.
type recordLimit struct {
	in    io.Reader
	left  int64
	last  byte // that was read
	ended bool
	err   error // of in, that ended the reading before its end
}

func (l *recordLimit) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("one record is longer than %d MiB", maxRecordBytes>>20)
	}
	n, err := l.in.Read(p)
	l.left -= int64(n)
	if n > 0 {
		l.last = p[n-1]
	}
	l.ended = err == io.EOF
	if err != nil && !l.ended {
		l.err = err
	}
	return n, err
}

func (r *jsonReader) Next() (Record, error) {
	r.in.left = maxRecordBytes
	if !r.started {
		r.started = true
		if err := r.beginRecords(); err != nil {
			return Record{}, r.explainError(err)
		}
	}
	if r.keys {
		return r.nextKeyed()
	}
	if len(r.pending) > 0 { // of the object read last
		next := r.pending[0]
		r.pending = r.pending[1:]
		r.count++
		return r.objectRecord(next)
	}
	if !r.hasMore() {
		if err := r.endRecords(); err != nil {
			return Record{}, r.explainError(err)
		}
		return Record{}, io.EOF
	}
	if len(r.items) > 0 {
		return r.expandItems()
	}
	text, err := r.dec.ReadValue()
	if err != nil {
		return Record{}, r.explainError(err)
	}
	r.count++
	if r.format == source.GeoJSON || r.format == geoJSONLines {
		if r.last.readJSON(text) != nil {
			return Record{}, &RecordError{r.count, errWrongForm.Error()}
		}
		return r.last.toRecord(r.count)
	}
	return r.objectRecord(text)
}

// objectRecord is the record of an object.
func (r *jsonReader) objectRecord(text []byte) (Record, error) {
	var object jsonFields
	if json.Unmarshal(text, &object) != nil {
		return Record{}, &RecordError{r.count, errWrongForm.Error()}
	}
	return Record{Line: r.count, Fields: object}, nil
}

// hasMore reports whether another value follows in the array, object or file that is read.
func (r *jsonReader) hasMore() bool {
	kind := r.dec.PeekKind()
	return kind != 0 && kind != ']' && kind != '}'
}

// beginRecords goes to the first object.
func (r *jsonReader) beginRecords() error {
	switch r.format {
	case source.JSONLines, geoJSONLines:
		return nil
	case source.JSON:
		return r.beginItems()
	}
	if err := r.expectDelim('{'); err != nil {
		return err
	}
	for r.hasMore() {
		name, err := r.dec.ReadToken()
		if err != nil {
			return err
		}
		if name.String() == "features" {
			return r.expectDelim('[')
		}
		if err := r.readCollectionMember(name.String()); err != nil {
			return err
		}
	}
	return errors.New(`there is no "features"`)
}

// endRecords goes to the end of the file: what is cut off there is missed, and so is what follows.
func (r *jsonReader) endRecords() error {
	if r.format == source.JSONLines || r.format == geoJSONLines {
		_, err := r.dec.ReadToken()
		if err == io.EOF {
			return nil
		}
		return err
	}
	if err := r.expectDelim(']'); err != nil {
		return err
	}
	if r.object {
		if err := r.skipMembers(); err != nil {
			return err
		}
	}
	if r.format == source.GeoJSON {
		for r.hasMore() {
			name, err := r.dec.ReadToken()
			if err != nil {
				return err
			}
			before := r.srid
			if err := r.readCollectionMember(name.String()); err != nil {
				return err
			}
			if r.srid != before {
				return errors.New("it names its projection after the features")
			}
		}
		if err := r.expectDelim('}'); err != nil {
			return err
		}
	}
	return r.expectEnd()
}

// expectEnd reports whether there is nothing more.
func (r *jsonReader) expectEnd() error {
	_, err := r.dec.ReadToken()
	var syntax *jsontext.SyntacticError
	switch {
	case err == io.EOF:
		return nil
	case err == nil, errors.As(err, &syntax):
		return errors.New("unexpected data after the JSON value")
	}
	return err
}

func (r *jsonReader) expectDelim(want jsontext.Kind) error {
	got, err := r.dec.ReadToken()
	if err != nil {
		return err
	}
	if got.Kind() != want {
		return fmt.Errorf("there is %q where %q should be", got, want)
	}
	return nil
}

var errWrongForm = errors.New("it is not an object of the expected form")

func (r *jsonReader) explainError(err error) error {
	if r.in.err != nil { // in its own words, not in those of the decoders
		err = r.in.err
	}
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("after record %d: the file is cut off: its end is missing", r.count)
	}
	return fmt.Errorf("after record %d: %w", r.count, err)
}
