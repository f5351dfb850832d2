package stats_test

import (
	"fmt"
	"strings"
	"testing"

	"arpent/internal/opendata/state"
	"arpent/internal/opendata/stats"
)

// permits writes a load of one of the files of Sitadel, with a permit of two dwellings or 50 m² for each commune and year.
func (b *fixture) permits(file string, places ...string) {
	b.t.Helper()
	part := "sitadel-" + file
	b.exec(`INSERT INTO geo.load (source, producer, title, licence, vintage, files, checksum, row_count, refused_count, refused,
			started_at, loaded_at, active)
		VALUES ($1, 'SDES', 'Sitadel', 'test', '2026-08', '[]', '', 1, 0, '[]', now(), now(), true)`, part)
	for _, place := range places {
		code, year, _ := strings.Cut(place, " ")
		b.exec(`INSERT INTO geo.permit (part, id, type, number, code, area, prefix, state, date, dwellings, premises_area, refs)
			VALUES ($1, $2, 'PC', $2, $3, $3, '', 2, make_date($4::integer, 5, 1), 2, 50, '{}')`, part, code+year, code, year)
	}
}

// That a commune has no permit is said only where all four files are loaded, and a count is 0 only in the years of its
// file: before, it is not known.
func TestPermitsOfACommune(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.permits("logements", "93066 2015", "93066 2024")
	if s := b.states(stats.Commune, "93010")["permits"]; s.State != state.NotLoaded || s.Source != "sitadel-locaux" {
		t.Errorf("with one of the files the state is %+v", s)
	}
	b.permits("locaux", "91001 2020", "91001 2024")
	b.permits("amenager", "91001 2020", "91001 2024")
	b.permits("demolir", "91001 2020")
	if s := b.states(stats.Commune, "93010")["permits"]; s.State != state.None {
		t.Errorf("with all files the state is %+v", s)
	}
	const year = `{"year":%d,"dwellingPermits":1,"dwellings":2,"premisesPermits":%s,"premisesAreaM2":%[2]s,` +
		`"developmentPermits":%[2]s,"demolitionPermits":null}`
	want := `"years":[` + fmt.Sprintf(year, 2015, "null") + "," + fmt.Sprintf(year, 2024, "0") + "]"
	if got := b.block(stats.Commune, "93066", "permits"); !strings.Contains(got, want) {
		t.Errorf("the permits are %s, want %s", got, want)
	}
}
