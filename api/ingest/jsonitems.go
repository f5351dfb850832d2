package ingest

import (
	"encoding/json"
	"fmt"
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
func (r *jsonReader) expand() (record, error) {
	for r.dec.More() {
		r.in.left = maxRecordBytes
		var outer json.RawMessage
		if err := r.dec.Decode(&outer); err != nil {
			return record{}, r.explain(err)
		}
		found, err := within(outer, r.items)
		if err != nil {
			r.count++
			return record{}, &refusal{r.count, err.Error()}
		}
		if len(found) > 0 {
			r.pending = found
			break
		}
	}
	return r.next()
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
func (r *jsonReader) item() (record, error) {
	var object jsonFields
	err := json.Unmarshal(r.pending[0], &object)
	r.pending = r.pending[1:]
	r.count++
	if err != nil {
		return record{}, &refusal{r.count, errWrongForm.Error()}
	}
	return record{line: r.count, fields: object}, nil
}
