package report_test

import (
	"cmp"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"arpent/app/dev/reportkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/report"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/topic"
)

// A customer sees each parcel along the border with the metres that both share, whichever of them is asked
// about, also where one of two outlines has no vertex where the other has one, or lies some centimetres
// off; not those that only touch at a corner, or lie behind a path. Near parcels that are not loaded there
// is no list, which would lack some.
func TestNeighbours(t *testing.T) {
	b := newFixture(t)
	for number, area := range map[string]extent{
		"0002": {2.481, 48.900, 2.482, 48.9004}, "0004": {2.481, 48.901, 2.482, 48.902}, // at a corner
		"0005": {2.479, 48.900, 2.47999, 48.901}, "0006": {2.485, 48.900, 2.486, 48.901}, // 70 cm away; on its own
	} {
		b.Parcel("930100000A"+number, area.WKT())
	}
	const near = "POLYGON((2.4810006 48.9004, 2.482 48.9004, 2.482 48.901, 2.481 48.901, 2.4810006 48.9004))"
	b.Parcel("930100000A0003", near) // 4 cm off
	if got, s := b.Key(square, "neighbours"); got != "null" || s.State != state.NotLoaded {
		t.Errorf("before a load: %s, %+v", got, s)
	}
	b.CompleteParcels("93010")
	b.wants("neighbours", `[{"idu":"930100000A0003","borderM":66.7},{"idu":"930100000A0002","borderM":44.5}]`)
	for number, want := range map[string]string{"0003": `[{"idu":"930100000A0002","borderM":73.3},
		{"idu":"930100000A0004","borderM":73.3},{"idu":"930100000A0001","borderM":66.7}]`} {
		b.wantsOf("930100000A"+number, "neighbours", want)
	}
	for _, number := range []string{"0005", "0006"} {
		if got, s := b.Key("930100000A"+number, "neighbours"); got != "[]" || s.Reason != state.NoNeighbour {
			t.Errorf("%s: %s, %+v", number, got, s)
		}
	}
	b.Exec(`INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code)
			VALUES ('commune-actuelle', '93053', 'Noisy-le-Sec', '93', '11', '93053');
		INSERT INTO geo.commune_contour (code, area_km2, geom) VALUES
			('93053', 1, 'SRID=4326;MULTIPOLYGON(((2.47 48.9, 2.4798 48.9, 2.4798 48.91, 2.47 48.91, 2.47 48.9)))')`)
	got, s := b.Key(square, "neighbours")
	if got != "null" || s.State != state.NotCovered || s.Reason != state.NeighboursNotLoaded+state.GivenAsKnown {
		t.Errorf("15 m from parcels that are not loaded: %s, %+v", got, s)
	}
	if s.Known == nil || *s.Known.AtLeast != 2 || s.Known.CompleteWithinM != nil ||
		string(s.Known.Value) != `[{"idu":"930100000A0003","borderM":66.7},{"idu":"930100000A0002","borderM":44.5}]` {
		t.Errorf("of the neighbours are known %+v", s.Known)
	}
	if got, s := b.Key("930100000A0002", "neighbours"); s.State != state.Value {
		t.Errorf("88 m from them: %s, %+v", got, s)
	}
	b.Exec("INSERT INTO geo.parcelle_commune (code, load_id) SELECT '93053', load_id FROM geo.parcelle_commune")
	if got, s := b.Key(square, "neighbours"); s.State != state.Value {
		t.Errorf("with them loaded: %s, %+v", got, s)
	}
	b.Exec("UPDATE geo.parcelle_commune SET complete = false WHERE code = '93010'")
	if got, s := b.Key(square, "neighbours"); got != "null" || s.State != state.NotCovered {
		t.Errorf("of a part of the commune: %s, %+v", got, s)
	}
}

type neighbour struct {
	IDU     string
	BorderM float64
}

// neighbourList is the value of neighbours of a parcel of the table.
func (b *fixture) neighbourList(idu string) (list []neighbour) {
	b.T.Helper()
	p := reportkit.ReadParcel(b.T, b.DB, idu)
	p.Keys = []string{"neighbours"}
	r, err := b.store.Report(b.T.Context(), p)
	testkit.NoError(b.T, err)
	i := slices.IndexFunc(topic.Report().Keys(), func(k report.Key) bool { return k.Name == "neighbours" })
	if r.Lengths[i] == nil || r.Lengths[i].Truncated {
		b.T.Fatalf("%s: %s, %+v", idu, r.Values[i], r.States[i])
	}
	testkit.NoError(b.T, json.Unmarshal(r.Values[i], &list))
	return list
}

// In the pilot communes, as they are published, a neighbour has the parcel among its own neighbours with
// the same border, the borders are sorted, and together they are no longer than the outline.
func TestNeighboursOfPilots(t *testing.T) {
	b := newFixture(t)
	b.Exec(`DELETE FROM geo.parcelle;
		INSERT INTO geo.departement (code, name, region_code) VALUES ('36', 'Indre', '76');
		INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code)
			VALUES ('commune-actuelle', '36174', 'Roussines', '36', '76', '36174')`)
	for _, name := range []string{"93010-parcelles.2025-01-01", "75118-parcelles.2025-01-01", "36174-parcelles"} {
		name = "cadastre-" + name + ".json.gz"
		b.lendFile(filepath.Join(testkit.Box(t), "pilots", name), name)
	}
	b.LoadSource("parcelles-etalab")
	b.Exec("ANALYZE geo.parcelle")
	asked := testkit.Rounds(20, 150) // of each commune
	rows, err := b.DB.Query(t.Context(), `SELECT idu, ST_Perimeter(geom::geography) FROM (
		SELECT *, row_number() OVER (PARTITION BY left(idu, 5) ORDER BY hashtext(idu)) AS nth FROM geo.parcelle) p
		WHERE nth <= $1`, asked)
	testkit.NoError(t, err)
	perimeters := map[string]float64{}
	for rows.Next() {
		var idu string
		var metres float64
		testkit.NoError(t, rows.Scan(&idu, &metres))
		perimeters[idu] = metres
	}
	pairs, alone, share := 0, 0, 0.0
	for idu, perimeter := range perimeters {
		sum, list := 0.0, b.neighbourList(idu)
		for _, n := range list {
			sum += n.BorderM
			back := b.neighbourList(n.IDU)
			at := slices.IndexFunc(back, func(o neighbour) bool { return o.IDU == idu })
			if at < 0 || back[at].BorderM != n.BorderM {
				t.Errorf("%s has %s with %.1f m, and that has %v", idu, n.IDU, n.BorderM, back)
			}
		}
		if !slices.IsSortedFunc(list, func(a, b neighbour) int { return cmp.Compare(b.BorderM, a.BorderM) }) {
			t.Errorf("%s: %v", idu, list)
		}
		// Each border is rounded to a tenth, and an end of it is shared within 0.1 m.
		if sum > perimeter+0.25*float64(len(list)) {
			t.Errorf("%s: borders of %.1f m, an outline of %.1f m: %v", idu, sum, perimeter, list)
		}
		pairs, share = pairs+len(list), share+math.Min(1, sum/perimeter)
		if len(list) == 0 {
			alone++
		}
	}
	t.Logf("%d parcels, %d borders, %d parcels without one, %.0f %% of the outlines", len(perimeters), pairs, alone,
		100*share/float64(len(perimeters)))
	if len(perimeters) != 3*asked || pairs < 2*len(perimeters) {
		t.Errorf("%d parcels have %d borders", len(perimeters), pairs)
	}
}

// A customer who asks about a parcel sees which parcels it took the place of; where no earlier edition
// was loaded the state says so, and does not call it none.
func TestPredecessors(t *testing.T) {
	b := newFixture(t)
	b.CompleteParcels("93010")
	got, s := b.Key(square, "predecessors")
	if got != "null" || s.State != state.NotCovered || s.Reason != state.NoEarlierEdition {
		t.Errorf("of one edition: %s, %+v", got, s)
	}
	gone := func(idu string, vintage any, area extent) {
		b.Exec(`INSERT INTO geo.parcelle_passee (idu, vintage, geom) VALUES ($1, $2::text::date, ST_GeomFromText($3, 4326))`,
			idu, vintage, area.WKT())
	}
	gone("930100000A0009", nil, extent{2.485, 48.900, 2.486, 48.901})
	if got, s := b.Key(square, "predecessors"); got != "[]" || s.State != state.None || s.Reason != state.NoPredecessor {
		t.Errorf("of none: %s, %+v", got, s)
	}
	gone("930100000B0001", "2023-04-01", extent{2.485, 48.900, 2.486, 48.901})
	gone("930100000B0002", "2020-07-01", extent{2.485, 48.900, 2.486, 48.901})
	gone("930110000A0001", "2019-01-01", extent{2.485, 48.900, 2.486, 48.901}) // of another commune
	if _, s := b.Key(square, "predecessors"); s.Reason != state.NoPredecessor+" Those of its commune are gone since the "+
		"edition of 2020-07-01 or a later one." {
		t.Errorf("of none, with editions: %+v", s)
	}
	gone("930100000A0007", "2022-01-01", extent{2.480, 48.900, 2.4802, 48.901})
	gone("930100000A0008", nil, extent{2.4802, 48.900, 2.482, 48.901})
	gone("930100000A0010", "2022-01-01", extent{2.47, 48.900, 2.4804, 48.901})   // 4 %, which are 40 % of the parcel
	gone("930100000A0011", "2022-01-01", extent{2.47, 48.900, 2.48002, 48.901})  // 0.2 %, which are 2 % of it
	gone("930100000A0012", "2022-01-01", extent{2.48, 48.900, 2.48002, 48.9002}) // all of it, 0.4 % of the parcel
	b.wants("predecessors", `[{"idu":"930100000A0008","lastSeen":null,"sharePct":44.4,"parcelSharePct":80},
		{"idu":"930100000A0010","lastSeen":"2022-01-01","sharePct":3.8,"parcelSharePct":40},
		{"idu":"930100000A0007","lastSeen":"2022-01-01","sharePct":100,"parcelSharePct":20},
		{"idu":"930100000A0012","lastSeen":"2022-01-01","sharePct":100,"parcelSharePct":0.4}]`)
}

// In Bondy, as it was published in 2022 and 2025, a gone parcel has a parcel among its successors if and only
// if that one has it among its predecessors. A notary who follows a title from either side comes to the same
// parcels, the small parts of a large one too. All successors are new: 930100000D0226, which is drawn over
// D0227 in both editions, has not taken its place. Each new parcel has a predecessor, each gone one successors.
func TestPredecessorsOfBondy(t *testing.T) {
	b := newFixture(t)
	b.Exec("DELETE FROM geo.parcelle")
	list := func(sql string) []string {
		t.Helper()
		rows, _ := b.DB.Query(t.Context(), sql) // the rows have its error too
		all, err := pgx.CollectRows(rows, pgx.RowTo[string])
		testkit.NoError(t, err)
		return all
	}
	var before []string // the parcels of the first edition
	for _, day := range []string{"2022-01-01", "2025-01-01"} {
		name := "cadastre-93010-parcelles." + day + ".json.gz"
		b.lendFile(filepath.Join(testkit.Box(t), "pilots", name), name)
		b.LoadSource("parcelles-etalab")
		if before == nil {
			before = list("SELECT idu FROM geo.parcelle")
		}
	}
	sql, err := os.ReadFile("../../../../api/parcel/gone.sql")
	testkit.NoError(t, err)
	var successors, predecessors []string // "the gone one > the new one"
	for _, gone := range list("SELECT idu FROM geo.parcelle_passee") {
		rows, _ := b.DB.Query(t.Context(), string(sql), gone, []string{}, [][]byte{}) // the rows have its error too
		found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (successor *string, err error) {
			return successor, row.Scan(nil, &successor)
		})
		testkit.NoError(t, err)
		for _, successor := range found {
			if successor == nil || slices.Contains(before, *successor) {
				t.Errorf("a successor of %s is %v, which is not new", gone, successor)
				continue
			}
			successors = append(successors, gone+" > "+*successor)
		}
	}
	fresh := 0
	// Those that touch a gone parcel, new or not: no other can have it among its predecessors.
	for _, idu := range list(`SELECT DISTINCT p.idu FROM geo.parcelle_passee g JOIN geo.parcelle p ON ST_Intersects(g.geom, p.geom)`) {
		var of []struct{ IDU string }
		testkit.NoError(t, json.Unmarshal([]byte(b.valueOf(idu, "predecessors")), &of))
		if !slices.Contains(before, idu) {
			fresh++
			if of == nil {
				t.Errorf("%s is new, and has no predecessor", idu)
			}
		}
		for _, gone := range of {
			predecessors = append(predecessors, gone.IDU+" > "+idu)
		}
	}
	slices.Sort(successors)
	slices.Sort(predecessors)
	if !slices.Equal(successors, predecessors) || fresh != 120 {
		t.Errorf("%d new parcels; by the successors %d pairs:\n%s\nby the predecessors %d:\n%s", fresh, len(successors),
			strings.Join(successors, "\n"), len(predecessors), strings.Join(predecessors, "\n"))
	}
}
