package ingest

import (
	"encoding/json"
	"fmt"
	"io"
)

// level is an object or array that is being read, on the way to the members that are records.
type level struct {
	open json.Delim
	way  int // how many of the items led here
}

// keyedMember reads on to the next member of an object that the items lead to.
func (r *jsonReader) keyedMember() (record, error) {
	for len(r.levels) > 0 {
		r.in.left = maxRecordBytes
		at := r.levels[len(r.levels)-1]
		if !r.dec.More() {
			if _, err := r.dec.Token(); err != nil {
				return record{}, r.explain(err)
			}
			r.levels = r.levels[:len(r.levels)-1]
			continue
		}
		if at.open == '[' {
			if err := r.descend(at.way); err != nil {
				return record{}, r.explain(err)
			}
			continue
		}
		name, err := r.dec.Token()
		if err != nil {
			return record{}, r.explain(err)
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
			return record{}, r.explain(err)
		}
	}
	if err := r.over(); err != nil {
		return record{}, r.explain(err)
	}
	if !r.object {
		return record{}, fmt.Errorf("there is no object under %q", r.items)
	}
	return record{}, io.EOF
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

func (r *jsonReader) keyed(name string) (record, error) {
	var value json.RawMessage
	if err := r.dec.Decode(&value); err != nil {
		return record{}, r.explain(err)
	}
	r.count++
	f := keyedFields{key: name, value: value}
	if value[0] == '{' {
		if err := json.Unmarshal(value, &f.jsonFields); err != nil {
			return record{}, r.explain(err)
		}
	}
	return record{line: r.count, fields: f}, nil
}

// keyedFields are the members of an object that has a name itself.
type keyedFields struct {
	jsonFields
	key   string
	value json.RawMessage
}

func (f keyedFields) text(name string) (string, bool) {
	switch name {
	case "_key":
		return f.key, true
	case "_value":
		return jsonText(f.value), true
	default:
		return f.jsonFields.text(name)
	}
}
