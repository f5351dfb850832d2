package parcel_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"arpent/api/parcel"
	"arpent/app/dev/snapshotkit"
)

// What is exported of a parcel is what the service answers for it, one feature a line, by reference.
func TestExport(t *testing.T) {
	t.Parallel()
	index := indexOf(t, database(t))
	s := storeOf(index)
	var out bytes.Buffer
	if err := index.Get().Export(&out); err != nil {
		t.Fatal(err)
	}
	var found []string
	for line := range strings.Lines(out.String()) {
		var f struct {
			Type, ID   string
			Properties map[string]any
			Geometry   json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &f); err != nil || f.Type != "Feature" || f.Properties["idu"] != f.ID {
			t.Fatalf("%s: %v", line, err)
		}
		found = append(found, f.ID)
		answer, err := s.Find(f.ID, outlineOnly, nil)
		if f.ID[:5] == "99999" { // of no commune that is known
			continue
		}
		var served map[string]any
		if err != nil || json.Unmarshal(answer.Body, &served) != nil || !bytes.Contains(answer.Body, f.Geometry) {
			t.Errorf("%s: served as %s (%v)", line, answer.Body, err)
		}
		for name, value := range f.Properties {
			if served[name] != value {
				t.Errorf("%s of %s is %v, served as %v", name, f.ID, value, served[name])
			}
		}
	}
	if len(found) != index.Get().Parcels() || !slices.IsSorted(found) {
		t.Errorf("exported: %v", found)
	}
}

// An operator is given the commune whose parcels are damaged, and how many parcels a sound file has.
func TestVerify(t *testing.T) {
	t.Parallel()
	if gone, err := indexOf(t, database(t)).Get().Verify(); err != nil || gone != 2 {
		t.Errorf("%d parcels that are gone (%v)", gone, err)
	}
	var references []string
	outlines := map[string][]byte{}
	for _, idu := range []string{"75118000AB0001", "75118000AB0002", "93010000AB0001", "93010000AB0002"} {
		references, outlines[idu] = append(references, idu), encodeSquare(2.5, 48.9)
	}
	path := filepath.Join(t.TempDir(), "parcels.index")
	if err := parcel.WriteIndex(path, references, outlines); err != nil {
		t.Fatal(err)
	}
	sections := snapshotkit.Read(t, path)
	for edit, want := range map[string]string{
		"":                                 "",
		"\x00\x01\x18\x00\xff\xff\xff\xff": "commune 75118: ",
		"\x00\x01\x18\x00\x01\x00\x00\x00": "commune 75118: ",
		"\x02\x01\x10\x00\xff\xff\xff\xff": "parcels of commune 75999 that are gone: ",
	} {
		x := newIndex(t, nil, sections.WriteChanged(t, "parcels.index", parcel.IndexFormat, []byte(edit))).Get()
		if x == nil {
			t.Fatalf("%q: not opened", edit)
		}
		if _, err := x.Verify(); (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %q", edit, err, want)
		}
	}
}
