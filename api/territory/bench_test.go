package territory_test

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/api/territory"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/geom"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/topic"
)

// BenchmarkFrance measures look-ups among the real communes, and what the snapshot costs in time and memory.
func BenchmarkFrance(b *testing.B) {
	pool, _ := testkit.DB(b)
	loader := ingest.New(ingest.Options{DB: pool, Catalogue: topic.Sources(), DataDir: testkit.Box(b), StateDir: b.TempDir()})
	if _, err := loader.Load(b.Context(), ingest.Request{Sources: []string{"contours-communes"}}); err != nil {
		b.Fatal(err)
	}
	before := liveHeapMiB()
	begin := time.Now()
	s, err := territory.Load(b.Context(), pool)
	if err != nil {
		b.Fatal(err)
	}
	took, peak := time.Since(begin), runtimeMemoryMiB()
	b.Logf("%+v built in %v: %d MiB on the heap, %d MiB taken from the system while building", s.Counts(), took, liveHeapMiB()-before, peak)
	type place struct {
		Code     string
		Lon, Lat float64
	}
	rows, err := pool.Query(b.Context(), `
SELECT code, ST_X(p), ST_Y(p) FROM geo.commune_contour, ST_PointOnSurface(geom) p ORDER BY md5(code)`)
	if err != nil {
		b.Fatal(err)
	}
	places, err := pgx.CollectRows(rows, pgx.RowToStructByPos[place])
	if err != nil {
		b.Fatal(err)
	}
	commune := func(p place) error { _, err := s.Commune(p.Code, territory.Include{}); return err }
	geometry := func(p place) error {
		_, err := s.Commune(p.Code, territory.Include{Members: geom.Members{Geometry: true}})
		return err
	}
	point := func(p place) error { _, err := s.CommuneAt(p.Lat, p.Lon, territory.Include{}); return err }
	for _, tc := range []struct {
		name   string
		places []place
		ask    func(p place) error
	}{
		// Among all places most of the time goes into fetching memory that no cache holds.
		{"commune", places, commune},
		{"commune of a hundred", places[:100], commune},
		{"commune geometry", places, geometry},
		{"point", places, point},
		{"point of a hundred", places[:100], point},
	} {
		b.Run(tc.name, func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if err := tc.ask(tc.places[i%len(tc.places)]); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
	runtime.KeepAlive(s)
}

const mebibyte = 1 << 20

// liveHeapMiB is the live heap in MiB.
func liveHeapMiB() uint64 {
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc / mebibyte
}

func runtimeMemoryMiB() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return (m.HeapSys - m.HeapReleased) / mebibyte
}
