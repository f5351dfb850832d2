package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"arpent/internal/opendata/source"
)

// jsonReader reads objects one by one: those of an array, of an array in a member of one object, such as the
// "features" of a collection, the members of an object, or one a line.
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
}

func newJSONReader(in io.Reader, spec source.Read, close func() error) *jsonReader {
	limited := &recordLimit{in: in, left: maxRecordBytes}
	r := &jsonReader{
		in: limited, close: close, format: spec.Format, items: spec.Items, keys: spec.Keyed,
		dec: jsontext.NewDecoder(limited, asEncodingJSON),
	}
	if spec.Format == source.GeoJSON {
		r.items = []string{"features"}
	}
	return r
}

func (r *jsonReader) Close() error { return r.close() }

func (r *jsonReader) Projection() int { return r.srid }

// areLines reports whether the objects follow each other without an array around them.
func (r *jsonReader) areLines() bool { return r.format == source.JSONLines || r.format == geoJSONLines }

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
	for len(r.pending) == 0 {
		if !r.hasMore() {
			if err := r.endRecords(); err != nil {
				return Record{}, r.explainError(err)
			}
			return Record{}, io.EOF
		}
		r.in.left = maxRecordBytes
		if r.keys {
			return r.nextKeyed()
		}
		text, err := r.dec.ReadValue()
		if err != nil {
			return Record{}, r.explainError(err)
		}
		switch {
		case r.format == source.GeoJSON || r.format == geoJSONLines:
			r.count++
			f := feature{Properties: map[string]json.RawMessage{}}
			switch err := jsonv2.Unmarshal(text, &f, asEncodingJSON); {
			case err != nil:
				return Record{}, &RecordError{r.count, errWrongForm.Error()}
			case f.Type != "Feature":
				return Record{}, &RecordError{r.count, "it is not a feature"}
			}
			if f.Properties == nil { // null
				f.Properties = map[string]json.RawMessage{}
			}
			if _, has := f.Properties["id"]; !has && len(f.ID) > 0 {
				f.Properties["id"] = f.ID
			}
			shape := string(f.Geometry)
			if shape == "null" {
				shape = ""
			}
			return Record{Line: r.count, Fields: jsonFields(f.Properties), Shape: shape}, nil
		case len(r.items) == 0:
			return r.objectRecord(text)
		}
		if r.pending, err = findItems(json.RawMessage(text), r.items); err != nil {
			r.count++
			return Record{}, &RecordError{r.count, err.Error()}
		}
	}
	next := r.pending[0] // of the object read last
	r.pending = r.pending[1:]
	return r.objectRecord(next)
}

// objectRecord is the record of an object.
func (r *jsonReader) objectRecord(text []byte) (Record, error) {
	r.count++
	var object jsonFields
	if json.Unmarshal(text, &object) != nil {
		return Record{}, &RecordError{r.count, errWrongForm.Error()}
	}
	return Record{Line: r.count, Fields: object}, nil
}

// nextKeyed reads the next member of the object whose members are the records.
func (r *jsonReader) nextKeyed() (Record, error) {
	token, err := r.dec.ReadToken()
	if err != nil {
		return Record{}, r.explainError(err)
	}
	f := keyedFields{key: token.String()} // the token is valid until the next one is read
	value, err := r.dec.ReadValue()
	if err == nil && value.Kind() == '{' {
		err = json.Unmarshal(value, &f.jsonFields)
	}
	if err != nil {
		return Record{}, r.explainError(err)
	}
	f.value = json.RawMessage(value)
	r.count++
	return Record{Line: r.count, Fields: f}, nil
}

// hasMore reports whether another value follows in the array, object or file that is read.
func (r *jsonReader) hasMore() bool {
	kind := r.dec.PeekKind()
	return kind != 0 && kind != ']' && kind != '}'
}

// beginRecords goes to the first object.
func (r *jsonReader) beginRecords() error {
	if r.areLines() {
		return nil
	}
	first, err := r.dec.ReadToken()
	switch {
	case err != nil:
		return err
	case first.Kind() == '[' && !r.keys && r.format == source.JSON:
		return nil
	case first.Kind() != '{' || len(r.items) == 0:
		want := "["
		if r.format == source.GeoJSON {
			want = "{"
		}
		return fmt.Errorf("there is %q where %q should be", first, want)
	}
	found, err := r.readMembers(r.items[0])
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("there is no %q", r.items[0])
	}
	r.items, r.object = r.items[1:], true
	if r.keys {
		return r.expectDelim('{')
	}
	return r.expectDelim('[')
}

// readMembers reads over the members of the object around the records, up to the name of the wanted one or to
// the end.
func (r *jsonReader) readMembers(wanted string) (found bool, err error) {
	for r.hasMore() {
		token, err := r.dec.ReadToken()
		if err != nil {
			return false, err
		}
		switch name := token.String(); {
		case wanted != "" && name == wanted:
			return true, nil
		case name == "crs" && r.format == source.GeoJSON:
			value, err := r.dec.ReadValue()
			if err != nil {
				return false, err
			}
			if r.srid, err = namedSRID(value); err != nil {
				return false, err
			}
		default: // one value, however long
			for depth := r.dec.StackDepth(); ; {
				r.in.left = maxRecordBytes
				if _, err := r.dec.ReadToken(); err != nil {
					return false, err
				}
				if r.dec.StackDepth() == depth {
					break
				}
			}
		}
	}
	return false, nil
}

// endRecords goes to the end of the file: what is cut off there is missed, and so is what follows.
func (r *jsonReader) endRecords() error {
	end := jsontext.Kind(']')
	if r.keys {
		end = '}'
	}
	if !r.areLines() {
		if err := r.expectDelim(end); err != nil {
			return err
		}
	}
	if r.object {
		before := r.srid
		if _, err := r.readMembers(""); err != nil {
			return err
		}
		if r.srid != before {
			return errors.New("it names its projection after the features")
		}
		if err := r.expectDelim('}'); err != nil {
			return err
		}
	}
	_, err := r.dec.ReadToken()
	var syntax *jsontext.SyntacticError
	switch {
	case err == io.EOF:
		return nil
	case !r.areLines() && (err == nil || errors.As(err, &syntax)):
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
