package parcel_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/api/parcel"
	"arpent/app/dev/testkit"
	"arpent/internal/fault"
	"arpent/internal/opendata/geom"
	"arpent/internal/opendata/source"
)

// someGone are parcels that are gone, on the grid: of a commune of today and of one that was
// merged, some larger than ten parcels of today, some between two of them or where there is none,
// some seen last on an unknown day.
const someGone = `
INSERT INTO geo.parcelle_passee (idu, vintage, geom)
SELECT (ARRAY['93010', '93998', '13055'])[1 + n % 3] || '0000Z' || to_char(n, 'FM0000'), CASE WHEN n % 4 > 0 THEN '1999-12-28'::date + n * 25 END,
	ST_Multi(ST_MakeEnvelope(lon, lat, lon + wide, lat + wide / (1 + n % 3), 4326))
FROM generate_series(1, 300) n, LATERAL (SELECT 2.495 + 0.05 * (n * 0.6180339887 % 1) AS lon, 48.895 + 0.05 * (n * 0.7548776662 % 1) AS lat,
	CASE n % 5 WHEN 0 THEN 0.004 ELSE 0.0003 * (1 + n % 5) END AS wide) p`

// faultText is what a caller reads of an error.
func faultText(err error) string {
	f := fault.From(err)
	return fmt.Sprint(f.Code, ": ", f.Message)
}

// What became of a parcel is what the statement finds that the file is made by: successors and their order,
// and the edition. A clerk who is not given all successors sees how many others there are.
func TestGoneInTheIndex(t *testing.T) {
	t.Parallel()
	pool := database(t, "DELETE FROM geo.parcelle WHERE idu LIKE '93010%' AND idu NOT LIKE '_________A0004'",
		strings.Replace(grid, "chr(65 + j % 26)", "chr(65 + j % 25)", 1), someGone)
	s := storeOf(indexOf(t, pool))
	asked := []string{"930100000A0008", "930100000A0009"}
	for n := 1; n <= 300; n++ {
		asked = append(asked, fmt.Sprintf("%s0000Z%04d", []string{"93010", "93998", "13055"}[n%3], n))
	}
	most, none, undated := 0, 0, 0
	for _, idu := range asked {
		rows, _ := pool.Query(t.Context(), parcel.FindGone, idu, []string{}, [][]byte{}) // the rows have its error too
		var seen *time.Time
		var successor *string
		var successors []string
		if _, err := pgx.ForEachRow(rows, []any{&seen, &successor}, func() error {
			if successor != nil {
				successors = append(successors, *successor)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		want := "not_found: Parcel " + idu + " is no longer in the cadastre"
		if seen != nil {
			want += "; it was last seen in the edition of " + seen.Format(time.DateOnly)
		} else {
			undated++
		}
		switch n := len(successors); {
		case n == 0:
			none++
		case n > 10:
			most++
			want += "; in its place are now: " + strings.Join(successors[:10], ", ") + fmt.Sprintf(" and %d more", n-10)
		default:
			want += "; in its place are now: " + strings.Join(successors, ", ")
		}
		if _, err := s.Find(idu, outlineOnly, nil); faultText(err) != want+"." {
			t.Errorf("%s: the file answers %v, want %s", idu, err, want)
		}
	}
	if most == 0 || none < 10 || undated == 0 {
		t.Errorf("%d parcels have more than ten successors, %d none, %d were last seen on a day that is not known", most, none, undated)
	}
}

// Successors are found again where a load has changed the parcels that they may be, and copied where none
// has: also where they lie in another commune.
func TestSuccessorsFollowLoads(t *testing.T) {
	t.Parallel()
	pool := database(t)
	exec := func(sql string) {
		t.Helper()
		testkit.Exec(t, pool, sql)
	}
	exec(`INSERT INTO geo.parcelle_passee (idu, geom) SELECT '13055' || substr(idu, 6), geom FROM geo.parcelle WHERE idu = '930100000A0001'`)
	index := parcel.NewIndex(pool, t.TempDir(), []source.Source{{Name: "parcelles-etalab", Target: source.Target{Table: "geo.parcel_block"}}})
	want := func(idu, successors string) {
		t.Helper()
		testkit.NoError(t, index.Refresh(t.Context()))
		_, err := storeOf(index).Find(idu, geom.Members{}, nil)
		if faultText(err) != "not_found: Parcel "+idu+" is no longer in the cadastre"+successors+"." {
			t.Errorf("%s: %v, want %s", idu, err, successors)
		}
	}
	want("130550000A0001", "; in its place are now: 930100000A0001")
	exec("UPDATE geo.parcelle SET geom = ST_Translate(geom, 1, 0) WHERE idu = '930100000A0001'")
	exec("UPDATE geo.parcelle_commune SET vintage = '2026-01-01' WHERE code = '93010'")
	want("130550000A0001", "")
	exec("UPDATE geo.parcelle SET geom = ST_Translate(geom, -1, 0) WHERE idu = '930100000A0001'")
	exec(`INSERT INTO geo.parcelle_passee (idu, geom) SELECT '940020000A0001', geom FROM geo.parcelle WHERE idu = '930100000A0001';
		INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
		VALUES ('parcelles-etalab', 'test', 'test', 'test', '[]', '', 0, 0, '[]', now(), now(), false)`)
	want("940020000A0001", "; in its place are now: 930100000A0001") // of an older edition, which changes nothing of what is served
	want("130550000A0001", "")                                       // copied: no load has changed it
	// The file has the outlines of a successor that the database lacks.
	exec("UPDATE geo.parcelle_commune SET vintage = '2026-02-01' WHERE code = '93010'")
	conn, err := pool.Acquire(t.Context())
	testkit.NoError(t, err)
	defer conn.Release()
	_, err = index.Compact(t.Context(), conn.Conn())
	testkit.NoError(t, err)
	exec(`INSERT INTO geo.parcelle_passee (idu, geom) SELECT '940020000A0002', geom FROM geo.parcelle_passee WHERE idu = '940020000A0001';
		INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
		VALUES ('parcelles-etalab', 'test', 'test', 'test', '[]', '', 0, 0, '[]', now(), now(), false)`)
	want("940020000A0002", "; in its place are now: 930100000A0001")
}
