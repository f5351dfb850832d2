package territory_test

import (
	"testing"

	"arpent/api/territory"
)

// A code that is taken for that of a commune is explained where it is a postcode or one of a collectivity,
// and is left alone where it is a commune or an arrondissement too.
func TestExplain(t *testing.T) {
	t.Parallel()
	_, pool := loadFixture(t)
	if _, err := pool.Exec(t.Context(), `UPDATE geo.commune SET postcodes = '{93140,93009,93008,75101,97123}' WHERE code = '93010' AND type = 'commune-actuelle'`); err != nil {
		t.Fatal(err)
	}
	store := territory.New(pool)
	if got := store.Explain("93140"); got != "" {
		t.Errorf("before anything is loaded: %q", got)
	}
	if err := store.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for code, want := range map[string]string{
		"93140": "93140 is a postcode, not a commune code: it serves Bondy (93010).", "93011": "", "93008": "", "75101": "", "99999": "", "": "",
		"93009": "93009 is a postcode, not a commune code: it serves Bondy (93010). (It was the code of a commune too, which is part of Bobigny (93008) now.)",
		"97123": "97123 was the code of the commune Saint-Barthélemy until 2007-02-23, when it became an overseas collectivity that this service " +
			"does not cover. (It is also a postcode, which serves Bondy (93010).)",
		"93098": "93098 was the code of the commune La Disparue until 1950-06-07; no commune succeeded it.",
		"97501": "97501 is in Saint-Pierre-et-Miquelon, an overseas collectivity that this service does not cover.",
	} {
		if got := store.Explain(code); got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}
