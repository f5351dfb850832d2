package format

import (
	"encoding/json"
	"fmt"
	"io"
)

// beginItems goes to the first object of an array, or of the array that a member of one object holds.
func (r *jsonReader) beginItems() error {
	first, err := r.dec.Token()
	if err != nil {
		return err
	}
	if first == json.Delim('[') {
		return nil
	}
	if first != json.Delim('{') || len(r.items) == 0 {
		return fmt.Errorf("there is %q where %q should be", fmt.Sprint(first), "[")
	}
	for r.dec.More() {
		name, err := r.dec.Token()
		if err != nil {
			return err
		}
		if name == r.items[0] {
			r.items, r.object = r.items[1:], true
			return r.expect('[')
		}
		if err := r.skip(); err != nil {
			return err
		}
	}
	return fmt.Errorf("there is no %q", r.items[0])
}

// skipMembers reads to the end of the object.
func (r *jsonReader) skipMembers() error {
	for r.dec.More() {
		if _, err := r.dec.Token(); err != nil {
			return err
		}
		if err := r.skip(); err != nil {
			return err
		}
	}
	return r.expect('}')
}

// skip reads over one value, however long.
func (r *jsonReader) skip() error {
	for depth := 0; ; {
		r.in.left = maxRecordBytes
		token, err := r.dec.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('['), json.Delim('{'):
			depth++
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// expand reads the next object that has records in it.
func (r *jsonReader) expand() (Record, error) {
	for r.dec.More() {
		r.in.left = maxRecordBytes
		var outer json.RawMessage
		if err := r.dec.Decode(&outer); err != nil {
			return Record{}, r.explain(err)
		}
		found, err := within(outer, r.items)
		if err != nil {
			r.count++
			return Record{}, &RecordError{r.count, err.Error()}
		}
		if len(found) > 0 {
			r.pending = found
			break
		}
	}
	return r.Next()
}

// within lists the objects that the members lead to; an object without them has none.
func within(value json.RawMessage, members []string) ([]json.RawMessage, error) {
	if len(value) > 0 && value[0] == '[' {
		var items, out []json.RawMessage
		if err := json.Unmarshal(value, &items); err != nil {
			return nil, err
		}
		for _, item := range items {
			found, err := within(item, members)
			if err != nil {
				return nil, err
			}
			out = append(out, found...)
		}
		return out, nil
	}
	if len(members) == 0 {
		return []json.RawMessage{value}, nil
	}
	if string(value) == "null" {
		return nil, nil
	}
	var object jsonFields
	if err := json.Unmarshal(value, &object); err != nil {
		return nil, errWrongForm
	}
	inner, there := object.find(members[0])
	if !there || string(inner) == "null" {
		return nil, nil
	}
	return within(inner, members[1:])
}

// item is the next record of the object read last.
func (r *jsonReader) item() (Record, error) {
	var object jsonFields
	err := json.Unmarshal(r.pending[0], &object)
	r.pending = r.pending[1:]
	r.count++
	if err != nil {
		return Record{}, &RecordError{r.count, errWrongForm.Error()}
	}
	return Record{Line: r.count, Fields: object}, nil
}

// level is an object or array that is being read, on the way to the members that are records.
type level struct {
	open json.Delim
	way  int // how many of the items led here
}

// keyedMember reads on to the next member of an object that the items lead to.
func (r *jsonReader) keyedMember() (Record, error) {
	for len(r.levels) > 0 {
		r.in.left = maxRecordBytes
		at := r.levels[len(r.levels)-1]
		if !r.dec.More() {
			if _, err := r.dec.Token(); err != nil {
				return Record{}, r.explain(err)
			}
			r.levels = r.levels[:len(r.levels)-1]
			continue
		}
		if at.open == '[' {
			if err := r.descend(at.way); err != nil {
				return Record{}, r.explain(err)
			}
			continue
		}
		name, err := r.dec.Token()
		if err != nil {
			return Record{}, r.explain(err)
		}
		switch {
		case at.way == len(r.items):
			return r.keyed(name.(string)) // the decoder has checked that it is one
		case name == r.items[at.way]:
			err = r.descend(at.way + 1)
		default:
			err = r.skip()
		}
		if err != nil {
			return Record{}, r.explain(err)
		}
	}
	if err := r.over(); err != nil {
		return Record{}, r.explain(err)
	}
	if !r.object {
		return Record{}, fmt.Errorf("there is no object under %q", r.items)
	}
	return Record{}, io.EOF
}

// descend enters the object or array that is next. null in its place is nothing.
func (r *jsonReader) descend(way int) error {
	token, err := r.dec.Token()
	if err != nil {
		return err
	}
	open, opens := token.(json.Delim)
	switch {
	case opens:
		r.levels = append(r.levels, level{open, way})
		r.object = r.object || open == '{' && way == len(r.items)
		return nil
	case token == nil:
		return nil
	default:
		return fmt.Errorf("there is %q where %q should be", fmt.Sprint(token), "{")
	}
}

func (r *jsonReader) keyed(name string) (Record, error) {
	var value json.RawMessage
	if err := r.dec.Decode(&value); err != nil {
		return Record{}, r.explain(err)
	}
	r.count++
	f := keyedFields{key: name, value: value}
	if value[0] == '{' {
		if err := json.Unmarshal(value, &f.jsonFields); err != nil {
			return Record{}, r.explain(err)
		}
	}
	return Record{Line: r.count, Fields: f}, nil
}

// keyedFields are the members of an object that has a name itself.
type keyedFields struct {
	jsonFields
	key   string
	value json.RawMessage
}

func (f keyedFields) Text(name string) (string, bool) {
	switch name {
	case "_key":
		return f.key, true
	case "_value":
		return jsonText(f.value), true
	default:
		return f.jsonFields.Text(name)
	}
}
