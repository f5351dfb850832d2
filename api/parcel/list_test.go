package parcel_test

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api/parcel"
	"arpent/internal/opendata/geom"
	"arpent/internal/opendata/state"
)

// What a map and its lists show of the file is what the database has: every parcel in a box with its outline,
// every section with as many parcels as it has, every reference once, however the list is cut.
func TestListsOfTheIndex(t *testing.T) {
	t.Parallel()
	pool := database(t, "DELETE FROM geo.parcelle", grid)
	index := indexOf(t, pool).Get()
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
		checkDescription(t, pool, index, code)
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
// parcels are not those of the table.
func checkDescription(t *testing.T, pool *pgxpool.Pool, index *parcel.Index, code string) {
	t.Helper()
	c := index.DescribeParcels(code)
	total := 0
	for _, s := range c.BySection {
		total += s.Parcels
	}
	if len(c.BySection) != *c.Sections || total != *c.Total {
		t.Errorf("%s: %d parcels in %d sections, want %d in %d", code, total, len(c.BySection), *c.Total, *c.Sections)
	}
	rows, _ := pool.Query(t.Context(), `SELECT idu, contenance FROM geo.parcelle WHERE left(idu, 5) = $1 AND contenance > 0
		ORDER BY contenance DESC, idu LIMIT 10`, code)
	want, err := pgx.CollectRows(rows, pgx.RowToStructByPos[parcel.LargeParcel])
	if err != nil || !slices.Equal(c.Largest, want) {
		t.Errorf("%s: the largest parcels are %v, want %v: %v", code, c.Largest, want, err)
	}
}
