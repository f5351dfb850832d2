package format

import (
	"encoding/json"
	"fmt"
	"io"
)

// beginItems goes to the first object of an array, or of the array that a member of one object holds; of
// keyed records, to the first member of the object that it holds.
func (r *jsonReader) beginItems() error {
	first, err := r.dec.ReadToken()
	if err != nil {
		return err
	}
	if first.Kind() == '[' && !r.keys {
		return nil
	}
	if first.Kind() != '{' || len(r.items) == 0 {
		return fmt.Errorf("there is %q where %q should be", first, "[")
	}
	for r.hasMore() {
		name, err := r.dec.ReadToken()
		if err != nil {
			return err
		}
		if name.String() == r.items[0] {
			r.items, r.object = r.items[1:], true
			if r.keys {
				return r.expectDelim('{')
			}
			return r.expectDelim('[')
		}
		if err := r.skipValue(); err != nil {
			return err
		}
	}
	return fmt.Errorf("there is no %q", r.items[0])
}

// skipMembers reads to the end of the object.
func (r *jsonReader) skipMembers() error {
	for r.hasMore() {
		if _, err := r.dec.ReadToken(); err != nil {
			return err
		}
		if err := r.skipValue(); err != nil {
			return err
		}
	}
	return r.expectDelim('}')
}

// skipValue reads over one value, however long.
func (r *jsonReader) skipValue() error {
	for depth := r.dec.StackDepth(); ; {
		r.in.left = maxRecordBytes
		if _, err := r.dec.ReadToken(); err != nil || r.dec.StackDepth() == depth {
			return err
		}
	}
}

// expandItems reads the next object that has records in it.
func (r *jsonReader) expandItems() (Record, error) {
	for r.hasMore() {
		r.in.left = maxRecordBytes
		outer, err := r.dec.ReadValue()
		if err != nil {
			return Record{}, r.explainError(err)
		}
		found, err := findItems(json.RawMessage(outer), r.items)
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

// findItems lists the objects that the members lead to; an object without them has none.
func findItems(value json.RawMessage, members []string) ([]json.RawMessage, error) {
	if len(value) > 0 && value[0] == '[' {
		var items, out []json.RawMessage
		if err := json.Unmarshal(value, &items); err != nil {
			return nil, err
		}
		for _, item := range items {
			found, err := findItems(item, members)
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
	inner, there := object.findMember(members[0])
	if !there || string(inner) == "null" {
		return nil, nil
	}
	return findItems(inner, members[1:])
}

// nextKeyed reads the next member of the object whose members are the records.
func (r *jsonReader) nextKeyed() (Record, error) {
	if !r.hasMore() {
		for _, end := range []func() error{func() error { return r.expectDelim('}') }, r.skipMembers, r.expectEnd} {
			if err := end(); err != nil {
				return Record{}, r.explainError(err)
			}
		}
		return Record{}, io.EOF
	}
	token, err := r.dec.ReadToken()
	if err != nil {
		return Record{}, r.explainError(err)
	}
	name := token.String() // the token is valid until the next one is read
	value, err := r.dec.ReadValue()
	if err != nil {
		return Record{}, r.explainError(err)
	}
	r.count++
	f := keyedFields{key: name, value: json.RawMessage(value)}
	if value[0] == '{' {
		if err := json.Unmarshal(value, &f.jsonFields); err != nil {
			return Record{}, r.explainError(err)
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
