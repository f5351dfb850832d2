package parcel_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"arpent/api/parcel"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/geom"
	"arpent/internal/opendata/state"
)

// What a map and its lists show of the file is what the database has: every parcel in a box with its outline,
// every section with as many parcels as it has, every reference once, however the list is cut.
func TestListsOfTheIndex(t *testing.T) {
	t.Parallel()
	// Among the largest are some whose recorded area counts and is nearly twice that of the outline.
	pool := database(t, "DELETE FROM geo.parcelle", grid, `UPDATE geo.parcelle SET contenance = CASE
		WHEN right(idu, 1) > '4' AND ST_Area(geom::geography) BETWEEN 9800 AND 9900 THEN 19500
		WHEN right(idu, 1) = '0' THEN 500 WHEN right(idu, 1) = '1' THEN 300000 WHEN right(idu, 1) < '6' THEN NULL ELSE 9000 END`)
	store := indexOf(t, pool)
	index := store.Get()
	box := geom.Box{MinX: geom.Snap(2.51, 0).X, MinY: geom.Snap(0, 48.91).Y, MaxX: geom.Snap(2.515, 0).X, MaxY: geom.Snap(0, 48.92).Y}
	var got, want []string
	for drawn, err := range index.In(box) {
		if err != nil {
			t.Fatal(err)
		}
		bounds := drawn.Shape.Bounds()
		if of, ok := index.Bounds(drawn.IDU); !ok || of != bounds || !bounds.Touches(box) {
			t.Errorf("%s lies in %v, %v", drawn.IDU, bounds, of)
		}
		got = append(got, string(drawn.IDU))
	}
	rows, err := pool.Query(t.Context(), `SELECT idu FROM geo.parcelle WHERE geom && ST_MakeEnvelope(2.51, 48.91, 2.515, 48.92, 4326)`)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var idu string
		if err := rows.Scan(&idu); err != nil {
			t.Fatal(err)
		}
		want = append(want, idu)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || len(got) < 20 {
		t.Errorf("%d parcels in the box, want %d", len(got), len(want))
	}
	if n := index.Count(box, 10_000); n != len(want) {
		t.Errorf("%d parcels are counted", n)
	}
	var all []parcel.IDU
	for _, code := range index.Codes(index.Communes()) {
		for _, s := range index.Sections(code) {
			var list []parcel.IDU
			for from := 0; from < s.Parcels; from += 7 {
				list = append(list, index.References(s, from, 7)...)
			}
			if len(list) != s.Parcels || !slices.IsSorted(list) {
				t.Errorf("%v has %d references", s, len(list))
			}
			all = append(all, list...)
		}
	}
	for _, code := range index.Codes(index.Communes()) {
		sections := index.Sections(code)
		n := 0
		for _, s := range sections {
			n += s.Parcels
		}
		if c := index.CountOf(code); c.State != state.Value || *c.Total != n || *c.Sections != len(sections) {
			t.Errorf("%s: %+v, want %d parcels in %d sections", code, c, n, len(sections))
		}
		checkDescription(t, storeOf(store), index, code)
		if c := index.CountOf(code, "99999"); c.State != state.NotCovered || c.Total != nil || c.Sections != nil || c.Vintage != nil {
			t.Errorf("%s and a commune without parcels: %+v", code, c)
		}
	}
	if all = slices.Compact(all); len(all) != index.Parcels() {
		t.Errorf("%d references of %d parcels", len(all), index.Parcels())
	}
	if index.Sections("99999") != nil || index.References(parcel.Section{Commune: "99999"}, 0, 1) != nil {
		t.Error("a commune without parcels has some")
	}
}

// checkDescription fails the test where the sections of a commune are not all its parcels, or its largest
// parcels are not those whose answers have the largest areas. A recorded area of ten times the outline, as the
// producer has of one in Bondy, would make a parcel the largest that is not.
func checkDescription(t *testing.T, s *parcel.Store, index *parcel.Index, code string) {
	t.Helper()
	c := index.DescribeParcels(code)
	total, differ, unrecorded := 0, 0, 0
	var want []parcel.Parcelle
	for _, section := range index.Sections(code) {
		total += section.Parcels
		for _, idu := range index.References(section, 0, section.Parcels) {
			r, err := s.Find(string(idu), geom.Members{}, nil)
			testkit.NoError(t, err)
			var p parcel.Parcelle
			testkit.NoError(t, json.Unmarshal(r.Body, &p))
			want = append(want, p)
		}
	}
	if len(c.BySection) != *c.Sections || total != *c.Total {
		t.Errorf("%s: %d parcels in %d sections, want %d in %d", code, total, len(c.BySection), *c.Total, *c.Sections)
	}
	area := func(p parcel.Parcelle) float64 {
		if p.Contenance == nil || *p.ContenanceDiffers {
			return p.OutlineAreaM2
		}
		return float64(*p.Contenance)
	}
	slices.SortFunc(want, func(a, b parcel.Parcelle) int {
		return cmp.Or(cmp.Compare(area(b), area(a)), cmp.Compare(a.IDU, b.IDU))
	})
	for i, p := range want[:min(10, len(want))] {
		one := fmt.Sprintf(`{"idu":"%s","contenance":null`, p.IDU)
		if p.Contenance != nil {
			one = fmt.Sprintf(`{"idu":"%s","contenance":%d`, p.IDU, *p.Contenance)
		}
		switch {
		case p.Contenance == nil:
			unrecorded++
		case *p.ContenanceDiffers:
			differ++
			one += `,"contenanceDiffers":true`
		}
		got, err := json.Marshal(c.Largest[i])
		if one += fmt.Sprintf(`,"outlineAreaM2":%v}`, p.OutlineAreaM2); err != nil || string(got) != one {
			t.Errorf("%s: the largest parcel no. %d is %s, want %s: %v", code, i+1, got, one, err)
		}
	}
	if differ == 0 || unrecorded == 0 {
		t.Errorf("%s: %d of the largest parcels have another recorded area, %d none", code, differ, unrecorded)
	}
}
