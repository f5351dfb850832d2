package parcel_test

import (
	"errors"
	"testing"

	"arpent/api/parcel"
	"arpent/app/base/fault"
)

// someParcels loads a part of a commune; of the two arrondissements of Paris one is loaded.
const someParcels = `UPDATE geo.parcelle_commune SET complete = false WHERE code = '2A004'`

// A parcel that is not found says what it is for want of: the commune, an arrondissement's code, its parcels, some of them, or
// the parcel alone. The code of a commune of long ago that is a postcode today is not taken for that commune.
func TestUnknownParcels(t *testing.T) {
	t.Parallel()
	s := store(t, someParcels, "DELETE FROM geo.parcelle_commune WHERE code = '97411'")
	for idu, want := range map[string]string{
		"930100000Z0001": "No parcel has reference 930100000Z0001: the parcels of Bondy (93010) are loaded, and this is none of them.",
		"75118000ZZ0001": "No parcel has reference 75118000ZZ0001: the parcels of Paris (75118) are loaded, and this is none of them.",
		"2A0040000Z0001": `Parcel 2A0040000Z0001 is not known: only a part of the parcels of L'"Île" <&> (2A004) is loaded on this server.`,
		"974110000Z0001": "Parcel 974110000Z0001 is not known: the parcels of Saint-Denis (97411) are not loaded on this server.",
		"75056000AB0001": "No parcel has reference 75056000AB0001: those of Paris begin with the code of an arrondissement, such as 75101, not with 75056.",
		"2A0050000A0001": "No parcel has reference 2A0050000A0001: no commune has code 2A005.",
		"75001000AB0001": "No parcel has reference 75001000AB0001: 75001 is a postcode.",
		"33000000AB0001": "No parcel has reference 33000000AB0001: 33000 is a postcode.",
		"975010000A0001": "No parcel has reference 975010000A0001: 97501 is overseas.",
	} {
		var f *fault.Error
		if _, err := s.Find(idu, false, nil); !errors.As(err, &f) || f.Code != fault.NotFound || f.Message != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Land has no parcel only where all parcels around it are loaded. Of a city with arrondissements a part is
// where some of these are.
func TestCoverage(t *testing.T) {
	t.Parallel()
	s := store(t, someParcels)
	for code, want := range map[string]parcel.Coverage{"75118": parcel.Whole, "75101": parcel.None,
		"75056": parcel.Part, "93010": parcel.Whole, "2A004": parcel.Part, "33063": parcel.None} {
		if got, err := s.Coverage(code); err != nil || got != want {
			t.Errorf("%s: %d, want %d (%v)", code, got, want, err)
		}
	}
}
