package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"arpent/api/source"
)

// jsonReader reads objects one by one: the members of an array, of the "features" of a collection, or a line each.
type jsonReader struct {
	in      *recordLimit
	dec     *json.Decoder
	close   func() error
	format  source.Format
	started bool
	count   int64
	srid    int // of a collection that names its own projection; 0: it does not
}

func newJSONReader(in io.Reader, format source.Format, close func() error) *jsonReader {
	limited := &recordLimit{in: in, left: maxRecordBytes}
	return &jsonReader{in: limited, dec: json.NewDecoder(limited), close: close, format: format}
}

func (r *jsonReader) Close() error { return r.close() }

func (r *jsonReader) projection() int { return r.srid }

// recordLimit stops a file whose one record never ends, so that it cannot fill the memory.
type recordLimit struct {
	in   io.Reader
	left int64
}

func (l *recordLimit) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("one record is longer than %d MiB", maxRecordBytes>>20)
	}
	n, err := l.in.Read(p)
	l.left -= int64(n)
	return n, err
}

// feature is a GeoJSON feature.
type feature struct {
	Type       string                     `json:"type"`
	ID         json.RawMessage            `json:"id"`
	Properties map[string]json.RawMessage `json:"properties"`
	Geometry   json.RawMessage            `json:"geometry"`
}

func (r *jsonReader) next() (record, error) {
	r.in.left = maxRecordBytes
	if !r.started {
		r.started = true
		if err := r.begin(); err != nil {
			return record{}, r.explain(err)
		}
	}
	if !r.dec.More() {
		if err := r.end(); err != nil {
			return record{}, r.explain(err)
		}
		return record{}, io.EOF
	}
	if r.format == source.GeoJSON || r.format == geoJSONLines {
		var f feature
		if err := r.dec.Decode(&f); err != nil {
			return record{}, r.wrong(err)
		}
		r.count++
		return f.record(r.count)
	}
	var object map[string]json.RawMessage
	if err := r.dec.Decode(&object); err != nil {
		return record{}, r.wrong(err)
	}
	r.count++
	return record{line: r.count, fields: jsonFields(object)}, nil
}

func (f *feature) record(line int64) (record, error) {
	if f.Type != "Feature" {
		return record{}, &refusal{line, "it is not a feature"}
	}
	if _, has := f.Properties["id"]; !has && len(f.ID) > 0 {
		if f.Properties == nil {
			f.Properties = map[string]json.RawMessage{}
		}
		f.Properties["id"] = f.ID
	}
	if string(f.Geometry) == "null" {
		f.Geometry = nil
	}
	return record{line: line, fields: jsonFields(f.Properties), shape: f.Geometry}, nil
}

// begin goes to the first object.
func (r *jsonReader) begin() error {
	switch r.format {
	case source.JSONLines, geoJSONLines:
		return nil
	case source.JSON:
		return r.expect('[')
	}
	if err := r.expect('{'); err != nil {
		return err
	}
	for r.dec.More() {
		name, err := r.dec.Token()
		if err != nil {
			return err
		}
		if name == "features" {
			return r.expect('[')
		}
		if err := r.member(name); err != nil {
			return err
		}
	}
	return errors.New(`there is no "features"`)
}

// end goes to the end of the file: what is cut off there is missed, and so is what follows.
func (r *jsonReader) end() error {
	if r.format == source.JSONLines || r.format == geoJSONLines {
		_, err := r.dec.Token()
		if err == io.EOF {
			return nil
		}
		return err
	}
	if err := r.expect(']'); err != nil {
		return err
	}
	if r.format == source.GeoJSON {
		for r.dec.More() {
			name, err := r.dec.Token()
			if err != nil {
				return err
			}
			before := r.srid
			if err := r.member(name); err != nil {
				return err
			}
			if r.srid != before {
				return errors.New("it names its projection after the features")
			}
		}
		if err := r.expect('}'); err != nil {
			return err
		}
	}
	if _, err := r.dec.Token(); err != io.EOF {
		return errors.New("there is something after its end")
	}
	return nil
}

// member reads a member of the collection other than the features.
func (r *jsonReader) member(name json.Token) error {
	var value json.RawMessage
	if err := r.dec.Decode(&value); err != nil {
		return err
	}
	if name != "crs" {
		return nil
	}
	srid, err := namedSRID(value)
	r.srid = srid
	return err
}

var epsgName = regexp.MustCompile(`(?i)EPSG:(?:[0-9.]*:)?([0-9]+)$`)

// namedSRID reads the crs member of older GeoJSON files; 0 stands for longitude and latitude.
func namedSRID(value []byte) (int, error) {
	var crs *struct {
		Properties struct{ Name string }
	}
	if err := json.Unmarshal(value, &crs); err != nil {
		return 0, fmt.Errorf("read its crs: %w", err)
	}
	if crs == nil || strings.HasSuffix(crs.Properties.Name, "CRS84") {
		return 0, nil
	}
	m := epsgName.FindStringSubmatch(crs.Properties.Name)
	if m == nil {
		return 0, fmt.Errorf("its crs %q is not known", crs.Properties.Name)
	}
	srid, err := strconv.Atoi(m[1])
	if srid == wgs84 {
		srid = 0
	}
	return srid, err
}

func (r *jsonReader) expect(want json.Delim) error {
	got, err := r.dec.Token()
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("there is %q where %q should be", fmt.Sprint(got), want.String())
	}
	return nil
}

// wrong tells a record of another type, which is refused, from a file that cannot be read on.
func (r *jsonReader) wrong(err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		r.count++
		return &refusal{r.count, "it is not an object of the expected form"}
	}
	return r.explain(err)
}

func (r *jsonReader) explain(err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("after record %d: the file is cut off: its end is missing", r.count)
	}
	return fmt.Errorf("after record %d: %w", r.count, err)
}

// jsonFields are the members of an object.
type jsonFields map[string]json.RawMessage

func (f jsonFields) find(name string) (json.RawMessage, bool) {
	if v, ok := f[name]; ok {
		return v, true
	}
	for k, v := range f {
		if strings.EqualFold(k, name) {
			return v, true
		}
	}
	return nil, false
}

// text gives a member as text: a string without its quotes, anything else as it is written; null is an empty text.
func (f jsonFields) text(name string) (string, bool) {
	v, ok := f.find(name)
	if !ok {
		return "", false
	}
	return jsonText(v), true
}

func jsonText(v json.RawMessage) string {
	if string(v) == "null" {
		return ""
	}
	if len(v) == 0 || v[0] != '"' {
		return string(v)
	}
	var s string
	if json.Unmarshal(v, &s) != nil {
		return string(v) // not reached: the decoder has checked it
	}
	return s
}

func (f jsonFields) list(name string) ([]string, bool) {
	v, ok := f.find(name)
	if !ok || string(v) == "null" {
		return nil, false
	}
	var items []json.RawMessage
	if json.Unmarshal(v, &items) != nil {
		return []string{jsonText(v)}, true
	}
	out := make([]string, len(items))
	for i, item := range items {
		out[i] = jsonText(item)
	}
	return out, true
}
