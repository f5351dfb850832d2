// Package reference finds the parcels that a cadastral reference means as people write it: with the name of
// the commune in place of its code, without the prefix of a commune that was merged. The operations, the
// search and the pages read references by it.
package reference

import (
	"fmt"
	"slices"
	"strings"

	"arpent/api/geocode"
	"arpent/api/geocode/layout"
	"arpent/api/parcel"
	"arpent/api/territory"
)

// Read gives the reference that a text means; false: none, or one of several communes. Of communes of one
// name it takes the only one with parcels in x, which may be nil. Whether there is such a parcel it does not
// say.
func Read(snap *territory.Snapshot, x *parcel.Index, text string) (idu string, ok bool) {
	w, ok := parcel.ReadWritten(text)
	if !ok {
		return "", false
	}
	codes := []string{w.Code}
	if w.Place != "" || snap != nil {
		codes = chooseLoaded(snap, x, called(snap, &w))
	}
	if len(codes) != 1 {
		return "", false
	}
	id, ok := w.IDU(codes[0])
	return string(id), ok
}

// chooseLoaded leaves of several communes of one name the one with parcels in the file, where that is one
// alone; else all, and always all arrondissements of a city.
func chooseLoaded(snap *territory.Snapshot, x *parcel.Index, codes []string) []string {
	if len(codes) < 2 || x == nil {
		return codes
	}
	var with []string
	for _, code := range codes {
		at, ok := snap.Place(code)
		if !ok || at.CodeArr != "" {
			return codes
		}
		if hasParcels(snap, x, at.CodeInsee) {
			with = append(with, code)
		}
	}
	if len(with) == 1 {
		return with
	}
	return codes
}

// SayUnloaded says that a reference may be of these communes, too, of which no parcel is in the file.
func SayUnloaded(names []string) string {
	return "It may also be a parcel of " + territory.JoinNames(names) + ", of which none is loaded on this " +
		"server: the code of the commune in place of its name says which is meant."
}

// maxNamed is how many communes a sentence names.
const maxNamed = 4

// Explain says in a sentence why a text is not the reference of one parcel: what it lacks, which communes
// it may be of, or which ones its commune resembles; of one that was read by a code, that this is also a
// postcode; of one that was read as of the only commune of its name with parcels in x, the others. It
// returns "" where it knows none of this, and for a text that is such a reference.
func Explain(snap *territory.Snapshot, x *parcel.Index, text string) string {
	w, ok := parcel.ReadWritten(text)
	if _, err := parcel.ParseIDU(text); err == nil {
		return ""
	}
	if !ok || snap == nil {
		return parcel.ExplainUnread(text)
	}
	codes := called(snap, &w)
	switch {
	case len(codes) == 0:
		text := snap.DescribeNamesakes(w.Place)
		if near := snap.CommunesNearlyCalled(w.Place, w.Code); near != nil {
			text += " Write the code in place of the name, as in " + near[0] + " " + w.Section + " " + w.Number + "."
		}
		return text
	case len(codes) == 1 && w.Place == "":
		return strings.TrimSpace(snap.DescribeNamesakes(codes[0]) + " " + SayLot(text))
	case len(codes) == 1:
		return SayLot(text)
	case len(chooseLoaded(snap, x, codes)) == 1:
		return strings.TrimSpace(SayUnloaded(listUnloaded(snap, x, codes)) + " " + SayLot(text))
	}
	var names []string
	for _, code := range codes {
		at, _ := snap.Place(code)
		if at.CodeArr != "" {
			return "Add the arrondissement of " + at.CommuneName + ", by its number or as in " + code + " " +
				w.Section + " " + w.Number + "."
		}
		names = append(names, at.CommuneName+" ("+code+")")
	}
	if n := len(names); n > maxNamed {
		names = append(names[:maxNamed], fmt.Sprintf("%d more", n-maxNamed))
	}
	return "It may be of " + strings.Join(names, ", ") + ": write the code in place of the name, as in " + codes[0] +
		" " + w.Section + " " + w.Number + "."
}

// ExplainNear says of a reference whose commune is spelt otherwise which communes are called nearly so;
// empty: it is no such reference.
func ExplainNear(snap *territory.Snapshot, x *parcel.Index, text string) string {
	w, ok := parcel.ReadWritten(text)
	if !ok || snap == nil {
		return ""
	}
	if _, isNear := resolveCommunes(snap, &w); !isNear {
		return ""
	}
	return Explain(snap, x, text)
}

// SayLot says of the lot that a text names next to a reference that it is no part of it; empty: it names
// none.
func SayLot(text string) string {
	if w, ok := parcel.ReadWritten(text); ok && w.Lot != "" {
		return "A lot (" + strings.ToLower(w.Lot) +
			") is a part of a building and of no reference: the answer is the whole parcel."
	}
	return ""
}

// resolveCommunes returns the communes and arrondissements that a reference may be of; isNear: no commune is
// called as it says, these are called so but for one typing error.
func resolveCommunes(snap *territory.Snapshot, w *parcel.Written) (codes []string, isNear bool) {
	if codes = called(snap, w); len(codes) > 0 {
		return codes, false
	}
	codes = snap.CommunesNearlyCalled(w.Place, w.Code)
	return codes, len(codes) > 0
}

// called gives the communes and arrondissements that a reference may be of.
func called(snap *territory.Snapshot, w *parcel.Written) []string {
	if snap == nil {
		return nil
	}
	codes := snap.CommunesCalled(w.Place, w.Code)
	if len(codes) == 0 && w.Place != "" { // its digits may be the number of an arrondissement: Paris 18
		codes = snap.CommunesCalled(w.Place+" "+w.Code, "")
	}
	if len(codes) == 0 && w.After != "" {
		codes = snap.CommunesCalled(w.After, w.Code)
	}
	if len(codes) > 0 || w.Place != "" {
		return codes
	}
	// that of no commune today: what is known of it is said where the parcel is looked for
	return []string{w.Code}
}

// Find gives the parcels of the file that a text may mean, at most limit, as answers of the search.
func Find(snap *territory.Snapshot, x *parcel.Index, text string, limit int) (found []geocode.FoundPlace) {
	w, ok := parcel.ReadWritten(text)
	if id, err := parcel.ParseIDU(text); err == nil {
		w, ok = parcel.Written{Code: id.Commune(), Prefix: id.Prefix(), Section: id.Section(),
			Number: id.Number()}, true
	}
	if !ok || snap == nil || x == nil {
		return nil
	}
	codes, isNear := resolveCommunes(snap, &w)
	for _, code := range codes {
		for _, id := range x.Meant(&w, code) {
			if f, ok := answer(snap, x, id); ok && len(found) < limit {
				if len(codes) > 1 {
					f.Label += " (" + f.DeptCode + ")"
				}
				f.Matched = layout.Words(text)
				if isNear {
					markMisspelt(&f, w.Place)
				}
				found = append(found, f)
			}
		}
	}
	for i := range found {
		if len(found) > 1 || isNear || len(listUnloaded(snap, x, codes)) > 0 {
			found[i].Score = several
		}
	}
	return found
}

// FindSeveral gives the parcels that a text names together, such as Bondy AY n° 71-72, where all of them are
// in the file; nil: it names no two, or one is not there.
func FindSeveral(snap *territory.Snapshot, x *parcel.Index, text string, limit int) (found []geocode.FoundPlace) {
	for _, one := range parcel.SplitSeveral(text) {
		list := Find(snap, x, one, limit)
		if len(list) == 0 || len(found)+len(list) > limit {
			return nil
		}
		found = append(found, list...)
	}
	return found
}

// markMisspelt marks an answer as that of a commune whose name is spelt otherwise.
func markMisspelt(f *geocode.FoundPlace, name string) {
	written, right := layout.Words(name), layout.Words(f.Commune)
	isMisspelt := func(word string) bool { return slices.Contains(written, word) && !slices.Contains(right, word) }
	f.Fuzzy = true
	for _, word := range f.Matched {
		if isMisspelt(word) {
			f.Unmatched = append(f.Unmatched, word)
		}
	}
	f.Matched = slices.DeleteFunc(f.Matched, isMisspelt)
}

// Unloaded gives the communes and arrondissements that have the name in a reference and of which no parcel is
// in the file, with their codes: the reference may be of one of them.
func Unloaded(snap *territory.Snapshot, x *parcel.Index, text string) []string {
	w, ok := parcel.ReadWritten(text)
	if !ok || snap == nil || x == nil {
		return nil
	}
	codes, _ := resolveCommunes(snap, &w)
	return listUnloaded(snap, x, codes)
}

// listUnloaded leaves of the communes and arrondissements that a reference may be of those without a parcel
// in the file.
func listUnloaded(snap *territory.Snapshot, x *parcel.Index, codes []string) (names []string) {
	for _, code := range codes {
		at, ok := snap.Place(code)
		switch {
		case !ok, len(x.Sections(code)) > 0, at.CodeArr == "" && hasParcels(snap, x, at.CodeInsee):
		case at.CodeArr != "":
			names = append(names, at.CommuneName+" "+strings.TrimLeft(code[3:], "0")+" ("+code+")")
		default:
			names = append(names, at.CommuneName+" ("+code+")")
		}
	}
	return names
}

// FindBare gives the commune that a text names next to the reference of a parcel, as the search knows it,
// where no parcel of the commune is in the file.
func FindBare(snap *territory.Snapshot, x *parcel.Index, places *geocode.Index, text string) (
	f geocode.FoundPlace, ok bool,
) {
	w, ok := parcel.ReadWritten(text)
	if !ok || snap == nil || x == nil || places == nil {
		return f, false
	}
	for _, name := range []string{w.Place, w.After} {
		query, ok := geocode.CheckQuery(w.Code + " " + name)
		if !ok || name == "" {
			continue
		}
		found := places.Search(geocode.Request{Query: query, Limit: 1}).Data
		if len(found) > 0 && found[0].Kind == "commune" && !found[0].Fuzzy && len(found[0].Unmatched) == 0 {
			return found[0], !hasParcels(snap, x, found[0].CodeInsee)
		}
	}
	return f, false
}

// hasParcels reports whether the file has parcels of a commune, under its code or that of a part of it.
func hasParcels(snap *territory.Snapshot, x *parcel.Index, commune string) bool {
	box, ok := snap.Bounds(commune)
	return ok && slices.ContainsFunc(x.CodesIn(box), func(code string) bool {
		at, ok := snap.Place(code)
		return ok && at.CodeInsee == commune
	})
}

// AddParcels gives each house number among the answers of the search the parcel at its point, or the nearest
// one. A house number near no parcel of the file has none.
func AddParcels(x *parcel.Index, found []geocode.FoundPlace) {
	for i := range found {
		f := &found[i]
		if x == nil || f.Kind != "housenumber" || f.Lat == nil {
			continue
		}
		if idu, metres, ok := x.OfAddress(*f.Lat, *f.Lon); ok {
			f.IDU, f.DistanceM = &idu, &metres
		}
	}
}

// several is the score of a parcel where others are meant as well, or a commune that is spelt otherwise.
const several = 0.8

// answer is a parcel as the search gives it.
func answer(snap *territory.Snapshot, x *parcel.Index, id parcel.IDU) (f geocode.FoundPlace, ok bool) {
	box, ok := x.Bounds(id)
	at, known := snap.Place(id.Commune())
	if !ok || !known {
		return f, false
	}
	lon, lat := box.Middle().Degrees()
	idu := string(id)
	return geocode.FoundPlace{Kind: "parcel", Label: "Parcelle " + idu + ", " + at.CommuneName, Score: 1,
		IDU: &idu, Postcodes: []string{},
		CodeInsee: at.CodeInsee, Commune: at.CommuneName, DeptCode: at.CodeDep, Lat: &lat, Lon: &lon,
		Unmatched: []string{}}, true
}
