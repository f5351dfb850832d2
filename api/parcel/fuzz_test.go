package parcel_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"arpent/api/parcel"
	"arpent/app/dev/snapshotkit"
	"arpent/internal/fault"
	"arpent/internal/opendata/geom"
)

// encodeSquare is the outline of a parcel, a thousandth of a degree wide, as WKB.
func encodeSquare(lon, lat float64) []byte {
	b := []byte{1, 3, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0}
	for _, corner := range [][2]float64{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}} {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(lon+corner[0]/1000))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(lat+corner[1]/1000))
	}
	return b
}

// A file whose checksums are right and whose content is not is refused, or what cannot be looked up in it is
// an error. Whatever goes through the file for a map ends, and takes no memory without a limit.
func FuzzContent(f *testing.F) {
	var references []string
	outlines := map[string][]byte{}
	for i, commune := range []string{"75118", "93010"} {
		for n := range 40 { // more than a node of the tree has
			idu := fmt.Sprintf("%s000%c%c%04d", commune, '0', 'A'+n/20, n+1)
			references = append(references, idu)
			outlines[idu] = encodeSquare(2.5+float64(n%8)/1000, 48.9+float64(n/8)/1000+float64(i)/200)
		}
	}
	path := filepath.Join(f.TempDir(), "parcels.index")
	if err := parcel.WriteIndex(path, references, outlines); err != nil {
		f.Fatal(err)
	}
	sections := snapshotkit.Read(f, path)
	f.Add([]byte{})
	for field := byte(0); field < 64; field += 4 {
		f.Add([]byte{1, 1, field, 0, 0xff, 0xff, 0xff, 0xff})
		f.Add([]byte{1, 2, field, 0, 1, 0, 0, 0})
	}
	for field := byte(0); field < 32; field += 4 {
		f.Add([]byte{3, 1, field, 0, 0xff, 0xff, 0xff, 0xff})
		f.Add([]byte{3, 2, field, 0, 1, 0, 0, 0})
		f.Add([]byte{3, 3, field, 0, 0, 0, 0, 0})
	}
	for at := range byte(64) {
		f.Add([]byte{2, 1, at << 4, at >> 4, 0xff, 0xff, 0xff, 0xff})
		f.Add([]byte{2, 2, at << 4, at >> 4, 1, 0, 0, 0})
		f.Add([]byte{2, 3, at << 4, at >> 4, 0, 0, 0, 0})
		f.Add([]byte{0, 1, at << 4, at >> 4, 0xff, 0xff, 0xff, 0xff})
		f.Add([]byte{0, 2, at << 4, at >> 4, 1, 0, 0, 0})
	}
	f.Fuzz(func(t *testing.T, edits []byte) {
		index := newIndex(t, nil, sections.WriteChanged(t, "parcels.index", parcel.IndexFormat, edits))
		x := index.Get()
		if x == nil {
			return
		}
		const limit = 32 << 20
		s := storeOf(index)
		found, gone := 0, 0
		for _, idu := range references {
			answer, err := s.Find(idu, outlineOnly, nil) // it may not panic
			if err == nil && len(answer.Body) > 0 {
				found++
			}
			snapshotkit.CheckAllocation(t, "a parcel that is gone", 1<<20, func() {
				_, err = s.Find(idu[:2]+"999"+idu[5:], geom.Members{}, nil)
			})
			if fault.From(err).Code == fault.NotFound {
				gone++
			}
		}
		if len(edits) < 8 && (found != len(references) || gone != len(references)) {
			t.Errorf("%d parcels of an unchanged file are found, %d are gone", found, gone)
		}
		for n := range 8 {
			_, _ = s.At(48.9005+float64(n)/1000, 2.5005+float64(n)/1000, 50, outlineOnly, nil) // nor this
			_, _, _ = s.Near(48.9005+float64(n)/1000, 2.5005+float64(n)/1000, 50)
			_, _ = s.Around(references[n], 9)
		}
		box := geom.Box{MinX: 25_000_000, MinY: 489_000_000, MaxX: 25_080_000, MaxY: 489_100_000}
		for what, look := range map[string]func(){
			"In": func() {
				for _, err := range x.In(box) {
					if err != nil {
						return
					}
				}
			},
			"Count":      func() { x.Count(box, 1000) },
			"SectionsIn": func() { x.SectionsIn(box) },
			"Sections": func() {
				for _, section := range x.Sections("93010") {
					x.References(section, 0, 50)
				}
			},
			"Bounds":     func() { x.Bounds(parcel.IDU(references[0])) },
			"Codes":      func() { x.Codes(10) },
			"CodesIn":    func() { x.CodesIn(box) },
			"CommunesIn": func() { x.CommunesIn(box) },
			"Parcels":    func() { x.Parcels() },
		} {
			snapshotkit.CheckAllocation(t, what, limit, snapshotkit.Recovered(look))
		}
	})
}

// FuzzReadWritten reads any text: what is read has a section and a number of the right length, and a
// reference that is made of it is well formed.
func FuzzReadWritten(f *testing.F) {
	for _, text := range []string{"93 010 AY 71", "AY71 à Bondy", "section AY n° 71 Bondy", "AB 58 Bondy (93140)", "93010OOOAYOO71", "1004000AB0012", "N 12", "A 1 A 1", "\xff 1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		w, ok := parcel.ReadWritten(text)
		if ok && (len(w.Section) != 2 || len(w.Number) != 4 || len(w.Prefix)%3 != 0) {
			t.Errorf("%q is read as %+v", text, w)
		}
		if id, ok := parcel.Read(text); ok {
			if _, err := parcel.ParseIDU(string(id)); err != nil {
				t.Errorf("%q is read as %q", text, id)
			}
		}
	})
}
