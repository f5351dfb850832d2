package parcel_test

import (
	"errors"
	"slices"
	"testing"

	"arpent/api/parcel"
	"arpent/internal/fault"
	"arpent/internal/opendata/geom"
)

// someParcels loads a part of a commune; of the two arrondissements of Paris one is loaded.
const someParcels = `UPDATE geo.parcelle_commune SET complete = false WHERE code = '2A004'`

// A parcel that is not found says what it is for want of: the commune, an arrondissement's code,
// its parcels, some of them, or the parcel alone. The code of a commune of long ago that is a
// postcode today is not taken for that commune.
func TestUnknownParcels(t *testing.T) {
	t.Parallel()
	s := newStore(t, someParcels, "DELETE FROM geo.parcelle_commune WHERE code = '97411'")
	for idu, want := range map[string]string{
		"930100000Z0001": "No parcel has reference 930100000Z0001: Bondy (93010) has no section Z; it has A, AB, 123A, 999A.",
		"75118000ZZ0001": "No parcel has reference 75118000ZZ0001: Paris (75118) has no section ZZ; it has AB.",
		"2A0040000Z0001": `Parcel 2A0040000Z0001 is not known: only a part of the parcels of L'"Île" <&> (2A004) is loaded on this server.`,
		"974110000Z0001": "Parcel 974110000Z0001 is not known: the parcels of Saint-Denis (97411) are not loaded on this server.",
		"75056000AB0001": "No parcel has reference 75056000AB0001: those of Paris begin with the code of an arrondissement, such as 75101, not with 75056.",
		"2A0050000A0001": "No parcel has reference 2A0050000A0001: no commune has code 2A005.",
		"75001000AB0001": "No parcel has reference 75001000AB0001: 75001 is a postcode.",
		"33000000AB0001": "No parcel has reference 33000000AB0001: 33000 is a postcode.",
		"975010000A0001": "No parcel has reference 975010000A0001: 97501 is overseas.",
	} {
		var f *fault.Error
		if _, err := s.Find(idu, geom.Members{}, nil); !errors.As(err, &f) || f.Code != fault.NotFound || f.Message != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Land has no parcel only where all parcels around it are loaded. Of a city with arrondissements a part is
// where some of these are.
func TestCoverage(t *testing.T) {
	t.Parallel()
	s := newStore(t, someParcels)
	for code, want := range map[string]parcel.Coverage{"75118": parcel.Whole, "75101": parcel.None,
		"75056": parcel.Part, "93010": parcel.Whole, "2A004": parcel.Part, "33063": parcel.None} {
		if got, err := s.Coverage(code); err != nil || got != want {
			t.Errorf("%s: %d, want %d (%v)", code, got, want, err)
		}
	}
}

// A reference without the prefix of a former commune names the parcels that may be meant, and is never said
// to be none of them. The letter O in place of the zero of a section is read as that.
func TestMissingPrefix(t *testing.T) {
	t.Parallel()
	index := indexOf(t, database(t))
	file := storeOf(index)
	var f *fault.Error
	const want = "No parcel has reference 930100000A0004. Commune 93010 is a merger; references of its former communes have a prefix. Did you mean " +
		"930101230A0004 or 930109990A0004?"
	if _, err := file.Find("930100000A0004", geom.Members{}, nil); !errors.As(err, &f) || f.Code != fault.NotFound || f.Message != want {
		t.Errorf("%v, want %s", err, want)
	}
	for text, want := range map[string][]parcel.IDU{
		"93010 A 4": {"930101230A0004", "930109990A0004"}, "93010 999 A 4": {"930109990A0004"}, "93010 A 1": {"930100000A0001"}, "93010 000 A 4": nil, "93010 Z 4": nil,
		"93010 OA 1": {"930100000A0001"},
	} {
		w, ok := parcel.ReadWritten(text)
		if got := index.Get().Meant(&w, w.Code); !ok || !slices.Equal(got, want) {
			t.Errorf("%q means %v, want %v", text, got, want)
		}
	}
	if got := file.Spelled("93010000OA0001"); got != "930100000A0001" {
		t.Errorf("the letter O is read as %s", got)
	}
}
