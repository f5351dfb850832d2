package parcel

import (
	"cmp"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"time"

	"arpent/internal/opendata/geom"
)

// Drawn is a parcel with its outline.
type Drawn struct {
	IDU   IDU
	Shape geom.Shape // until the next one is given
}

// In gives the parcels whose outline may lie in a box, those of a
// commune together. It ends with the first error.
func (x *Index) In(box geom.Box) iter.Seq2[Drawn, error] {
	return func(yield func(Drawn, error) bool) {
		defer runtime.KeepAlive(x.file)
		var arena geom.Arena
		for commune := range x.around.In(box) {
			e, b := &x.communes[commune], x.blockAt(int(commune))
			for nth := range b.tree.In(box) {
				arena.Reset()
				var r row
				outline, err := readAttributes(b.recordAt(int(nth)), &r)
				d := Drawn{IDU: b.iduAt(e, int(nth))}
				if err == nil {
					d.Shape, err = arena.DecodeDelta(outline, e.outlineOrigin())
				}
				if err != nil {
					yield(Drawn{}, fmt.Errorf("parcel %s: %w", d.IDU, err))
					return
				}
				if !yield(d, nil) {
					return
				}
			}
		}
	}
}

// Count is how many parcels may lie in a box, at most limit: counting ends there.
func (x *Index) Count(box geom.Box, limit int) (n int) {
	defer runtime.KeepAlive(x.file)
	for commune := range x.around.In(box) {
		b := x.blockAt(int(commune))
		for range b.tree.In(box) {
			if n++; n >= limit {
				return n
			}
		}
	}
	return n
}

// Section is a section of the plan.
type Section struct {
	// the code of the commune or arrondissement; 000 or that of a merged commune; two characters
	Commune, Prefix, Name string
	Parcels               int
	Middle                geom.Point // of its parcels; only SectionsIn gives it, which reads all of them for it
}

// Label is the name of the section without zeros before it, after the prefix of a former commune.
func (s *Section) Label() string {
	return strings.TrimPrefix(s.Prefix, "000") + strings.TrimLeft(s.Name, "0")
}

// SectionsIn gives the sections of the communes that may lie in a box.
func (x *Index) SectionsIn(box geom.Box) (out []Section) {
	defer runtime.KeepAlive(x.file)
	for commune := range x.around.In(box) {
		of := x.listSections(int(commune))
		x.placeSections(int(commune), of)
		out = append(out, of...)
	}
	return out
}

// Sections lists the sections of a commune or arrondissement by prefix and
// name; nothing: no parcels of it are loaded.
func (x *Index) Sections(code string) []Section {
	defer runtime.KeepAlive(x.file)
	commune, ok := x.findCommune(code)
	if !ok {
		return nil
	}
	return x.listSections(commune)
}

func (x *Index) listSections(commune int) []Section {
	e, b := &x.communes[commune], x.blockAt(commune)
	out := make([]Section, len(b.sections))
	for i, s := range b.sections {
		out[i] = Section{Commune: string(e.Code[:]), Prefix: string(s.Key[:3]), Name: string(s.Key[3:]),
			Parcels: b.sectionEnd(i) - int(s.First)}
	}
	return out
}

// placeSections sets the Middle of each section to the mean of the centres of its parcels' bounding boxes.
func (x *Index) placeSections(commune int, out []Section) {
	b := x.blockAt(commune)
	sums := make([][2]int64, len(out))
	for nth, box := range b.tree.Leaves() {
		i, middle := b.sectionOf(int(nth)), box.Middle()
		sums[i][0] += int64(middle.X)
		sums[i][1] += int64(middle.Y)
	}
	for i := range out {
		n := int64(out[i].Parcels)
		out[i].Middle = geom.Point{X: int32(sums[i][0] / n), Y: int32(sums[i][1] / n)}
	}
}

// sectionEnd returns the index of the parcel after the last one of the nth section.
func (b *block) sectionEnd(nth int) int {
	if nth+1 < len(b.sections) {
		return int(b.sections[nth+1].First)
	}
	return len(b.numbers)
}

// sectionOf is which section the nth parcel is in.
func (b *block) sectionOf(nth int) int {
	of, first := slices.BinarySearchFunc(b.sections, uint32(nth),
		func(s section, nth uint32) int { return cmp.Compare(s.First, nth) })
	if !first {
		of--
	}
	return of
}

// References lists the parcels of a section in their order, some at a time: n of them from the one at from.
func (x *Index) References(s Section, from, n int) (out []IDU) {
	defer runtime.KeepAlive(x.file)
	commune, ok := x.findCommune(s.Commune)
	if !ok {
		return nil
	}
	e, b := &x.communes[commune], x.blockAt(commune)
	at := slices.IndexFunc(b.sections, func(have section) bool { return string(have.Key[:]) == s.Prefix+s.Name })
	if at < 0 {
		return nil
	}
	first, end := int(b.sections[at].First)+from, b.sectionEnd(at)
	for nth := first; nth < min(end, first+n); nth++ {
		out = append(out, b.iduAt(e, nth))
	}
	return out
}

// Bounds is the box around a parcel; false: it is not in the file.
func (x *Index) Bounds(id IDU) (geom.Box, bool) {
	_, shape, ok, err := x.findParcel(id, new(geom.Arena))
	if !ok || err != nil {
		return geom.Box{}, false
	}
	return shape.Bounds(), true
}

// CodesIn lists the communes and arrondissements that there are parcels of and that may lie in a box.
func (x *Index) CodesIn(box geom.Box) (out []string) {
	defer runtime.KeepAlive(x.file)
	for commune := range x.around.In(box) {
		out = append(out, string(x.communes[commune].Code[:]))
	}
	return out
}

// Codes lists the first communes and arrondissements that there are parcels of, at most n.
func (x *Index) Codes(n int) (out []string) {
	defer runtime.KeepAlive(x.file)
	for i := range x.communes[:min(n, len(x.communes))] {
		out = append(out, string(x.communes[i].Code[:]))
	}
	return out
}

// Edition is what the parcels of a commune or arrondissement are from.
type Edition struct {
	Code     string
	Day      time.Time // zero where it is not known
	Complete bool      // false: the load held a part of the commune only
}

// Editions lists every commune and arrondissement that there are parcels of, by code; of no file there are
// none.
func (x *Index) Editions() []Edition {
	if x == nil {
		return nil
	}
	defer runtime.KeepAlive(x.file)
	out := make([]Edition, len(x.communes))
	for i := range x.communes {
		e := &x.communes[i]
		out[i] = Edition{Code: string(e.Code[:]), Complete: e.Partial == 0}
		if e.Vintage != noVintage {
			out[i].Day = x.vintages[i]
		}
	}
	return out
}

// CommunesIn gives the boxes around the parcels of communes and arrondissements that may lie in a box.
func (x *Index) CommunesIn(box geom.Box) (out []geom.Box) {
	defer runtime.KeepAlive(x.file)
	for commune := range x.around.In(box) {
		out = append(out, x.communes[commune].Box)
	}
	return out
}
