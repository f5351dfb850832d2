package app_test

import (
	"bytes"
	"testing"
)

// The landing page counts the communes that have an outline, as it says, and not those that only have a name.
func TestCommunesWithOutlineAreCounted(t *testing.T) {
	t.Parallel()
	s := start(t)
	shown := func(n string) bool {
		return bytes.Contains(s.get("/?lang=en").body, []byte("the outlines of "+n+" communes"))
	}
	if !shown("5") {
		t.Errorf("the landing page does not say 5:\n%s", s.get("/?lang=en").body)
	}
	if _, err := s.pool.Exec(t.Context(), `DELETE FROM geo.commune_contour WHERE code = '2A004'; UPDATE geo.load SET active = active`); err != nil {
		t.Fatal(err)
	}
	s.until(func() bool { return shown("4") })
}
