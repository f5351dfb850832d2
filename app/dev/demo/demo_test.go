package demo_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/base/pgdb"
	"arpent/app/dev/demo"
	"arpent/app/dev/testkit"
)

// names is a small country with real codes: Île-de-France with a commune that is a whole département, Corsica, and an
// overseas département.
var names = map[string]map[string]int{
	"11": {"75": 1, "93": 40, "77": 230},
	"94": {"2A": 60, "2B": 71},
	"04": {"974": 24},
}

func loadNames(pool *pgxpool.Pool) func(context.Context) error {
	return func(ctx context.Context) error {
		for region, departements := range names {
			for departement, communes := range departements {
				_, err := pool.Exec(ctx, `INSERT INTO geo.departement (code, name, region_code) VALUES ($1, $1, $2)`, departement, region)
				if err != nil {
					return err
				}
				for i := range communes {
					code := departement + fmt.Sprintf("%03d", i+1)[len(departement)-2:]
					_, err := pool.Exec(ctx, `INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code)
						VALUES ('commune-actuelle', $1, $1, $2, $3, $1)`, code, departement, region)
					if err != nil {
						return err
					}
				}
			}
		}
		_, err := pool.Exec(ctx, `INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused,
			started_at, loaded_at, active) VALUES ('cog-communes', '', '', '', '[]', '', 0, 0, '[]', now(), now(), true)`)
		return err
	}
}

func options(pool *pgxpool.Pool, parcels int, seed uint64) demo.Options {
	return demo.Options{Parcels: parcels, Seed: seed, LoadCOG: loadNames(pool)}
}

func build(t *testing.T, pool *pgxpool.Pool, parcels int, seed uint64) demo.Result {
	t.Helper()
	r, err := demo.Make(t.Context(), pool, options(pool, parcels, seed))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func value[T any](t *testing.T, pool *pgxpool.Pool, query string) (v T) {
	t.Helper()
	if err := pool.QueryRow(t.Context(), query).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}

// A customer who tries the service without data would meet errors that real data do not have, if the synthetic country
// had gaps, overlaps, invalid shapes, parcels outside their commune or references that are not well formed.
func TestTheCountryHoldsTogether(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	r := build(t, pool, 12_000, 1)
	if !r.Made || r.Communes != 426 || r.Parcels != 12_000 || r.Villages < 4 {
		t.Errorf("made %+v", r)
	}
	for what, query := range map[string]string{
		"invalid shapes":                  `SELECT (SELECT count(*) FROM geo.commune_contour WHERE NOT ST_IsValid(geom)) + (SELECT count(*) FROM geo.parcelle WHERE NOT ST_IsValid(geom))`,
		"départements unlike their parts": `SELECT count(*) FROM geo.departement_contour d WHERE NOT ST_Equals(d.geom, (SELECT ST_Union(c.geom) FROM geo.commune_contour c WHERE left(c.code, 2) = d.code))`,
		"départements larger than parts":  `SELECT count(*) FROM geo.departement_contour d WHERE abs(d.area_km2 - (SELECT sum(c.area_km2) FROM geo.commune_contour c WHERE left(c.code, 2) = d.code)) > 1e-3`,
		"régions unlike their parts":      `SELECT count(*) FROM geo.region_contour r WHERE NOT ST_Equals(r.geom, (SELECT ST_Union(c.geom) FROM geo.commune_contour c JOIN geo.commune m USING (code) WHERE m.region_code = r.code))`,
		"overseas départements":           `SELECT count(*) FROM geo.departement_contour WHERE length(code) > 2`,
		"parcels outside their commune":   `SELECT count(*) FROM geo.parcelle p LEFT JOIN geo.commune_contour c ON c.code = left(p.idu, 5) WHERE ST_CoveredBy(p.geom, c.geom) IS NOT TRUE`,
		"malformed references":            `SELECT count(*) FROM geo.parcelle WHERE idu !~ '^[0-9][0-9AB][0-9]{3}000[0-9A-Z]{2}[0-9]{3}[1-9]$' AND idu !~ '^[0-9][0-9AB][0-9]{3}000[0-9A-Z]{2}[0-9]{3}0$'`,
		"areas unlike the drawing":        `SELECT count(*) FROM geo.parcelle WHERE abs(contenance - ST_Area(geom::geography)) > 0.03 * contenance`,
		"parcels that overlap":            `SELECT count(*) FROM geo.parcelle a JOIN geo.parcelle b ON a.idu < b.idu AND a.geom && b.geom WHERE a.idu LIKE '%AB____' AND ST_Area(ST_Intersection(a.geom, b.geom)::geography) > 0.01`,
		"communes without a vintage row":  `SELECT count(DISTINCT left(idu, 5)) - (SELECT count(*) FROM geo.parcelle_commune) FROM geo.parcelle`,
	} {
		if n := value[int](t, pool, query); n != 0 {
			t.Errorf("%s: %d", what, n)
		}
	}
	if lo, hi := value[int](t, pool, `SELECT min(contenance) FROM geo.parcelle`), value[int](t, pool, `SELECT max(contenance) FROM geo.parcelle`); lo < 100 || hi > 2_000 {
		t.Errorf("parcels have %d to %d m²", lo, hi)
	}
	if n := value[float64](t, pool, `SELECT avg(ST_NPoints(geom))::float8 FROM geo.parcelle`); n < 8 || n > 12 {
		t.Errorf("a parcel has %.1f points on average: real ones have 8 to 12", n)
	}
	if n := value[int](t, pool, `SELECT count(*) FROM geo.parcelle`); n != 12_000 {
		t.Errorf("%d parcels", n)
	}
}

const fingerprint = `SELECT md5(string_agg(md5(p::text), '' ORDER BY idu)) || (SELECT md5(string_agg(md5(c::text), '' ORDER BY code)) FROM geo.commune_contour c) FROM geo.parcelle p`

// An example in the documentation must give on one machine what it gave on another.
func TestTheSameSeedMakesTheSameCountry(t *testing.T) {
	t.Parallel()
	first, _ := testkit.DB(t)
	second, _ := testkit.DB(t)
	build(t, first, 9_000, 7)
	build(t, second, 12_000, 8)
	build(t, second, 9_000, 7)
	if a, b := value[string](t, first, fingerprint), value[string](t, second, fingerprint); a != b {
		t.Errorf("the same number and seed made %s and %s", a, b)
	}
	build(t, second, 9_000, 8)
	if a, b := value[string](t, first, fingerprint), value[string](t, second, fingerprint); a == b {
		t.Error("two seeds made the same country")
	}
}

// A second start would wait for work that is done already.
func TestAgainIsNothingToDo(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	build(t, pool, 1_000, 1)
	const loads = `SELECT string_agg(l::text, ' ' ORDER BY id) FROM geo.load l`
	before := value[string](t, pool, loads)
	if r := build(t, pool, 1_000, 1); r.Made || r.Bytes == 0 {
		t.Errorf("made %+v", r)
	}
	// A start must not replace the demonstration that somebody made on purpose.
	keep := options(pool, 50, 2)
	keep.Keep = true
	if r, err := demo.Make(t.Context(), pool, keep); err != nil || r.Made {
		t.Errorf("made %+v, %v", r, err)
	}
	if after := value[string](t, pool, loads); after != before {
		t.Errorf("the loads became %s", after)
	}
}

// An operator who types the command on the wrong database would replace real data by synthetic data.
func TestRealDataIsLeftAlone(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	if err := loadNames(pool)(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := pool.Exec(t.Context(), `
		INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
		VALUES ('parcelles-etalab', '', '', '', '[]', '', 1, 0, '[]', now(), now(), true);
		INSERT INTO geo.parcelle (idu, geom) VALUES ('930100000A0001', ST_Multi(ST_MakeEnvelope(2.5, 48.9, 2.51, 48.91, 4326)))`)
	if err != nil {
		t.Fatal(err)
	}
	before := value[string](t, pool, `SELECT p::text FROM geo.parcelle p`)
	if _, err := demo.Make(t.Context(), pool, options(pool, 100, 1)); !errors.Is(err, demo.ErrRealData) {
		t.Errorf("got %v, expected ErrRealData", err)
	}
	if after := value[string](t, pool, `SELECT p::text FROM geo.parcelle p`); after != before {
		t.Errorf("the parcel became %s", after)
	}
	if n := value[int](t, pool, `SELECT count(*) FROM geo.commune_contour`); n != 0 {
		t.Errorf("%d outlines were made", n)
	}
}

const tableShape = `
SELECT (SELECT string_agg(format('%s %s %s %s', attname, format_type(atttypid, atttypmod), attnotnull, attstorage), ',' ORDER BY attnum)
        FROM pg_attribute WHERE attrelid = 'geo.parcelle'::regclass AND attnum > 0)
    || (SELECT string_agg(conname || pg_get_constraintdef(oid), ',' ORDER BY conname) FROM pg_constraint WHERE conrelid = 'geo.parcelle'::regclass)
    || (SELECT string_agg(indexdef, ',' ORDER BY indexname) FROM pg_indexes WHERE schemaname = 'geo' AND tablename = 'parcelle')
    || (SELECT format('%s %s %s', relpersistence, (SELECT string_agg(a::text, ',' ORDER BY a::text) FROM unnest(relacl) a), reloptions) FROM pg_class WHERE oid = 'geo.parcelle'::regclass)`

// The parcel table is exchanged whole: an index or a rule that got lost on the way would show only under load.
func TestTheExchangedTableIsTheSame(t *testing.T) {
	t.Parallel()
	_, url := testkit.DB(t)
	pool, err := pgdb.Open(t.Context(), url, pgdb.Options{MaxConns: 4, AppName: t.Name(), Role: pgdb.Load})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	before := value[string](t, pool, tableShape)
	build(t, pool, 500, 1)
	if after := value[string](t, pool, tableShape); after != before {
		t.Errorf("the table was\n%s\nand is\n%s", before, after)
	}
}

// Whoever reads while a demonstration is exchanged must find all of the old one or all of the new one.
func TestReadersSeeAllOrNothing(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	build(t, pool, 2_000, 1)
	ended := startReading(t, pool)
	build(t, pool, 4_000, 2)
	seen := <-ended
	for n := range seen {
		if n != 2_000 && n != 4_000 {
			t.Errorf("a reader saw %d parcels", n)
		}
	}
	if !seen[4_000] {
		t.Error("no reader saw the new parcels")
	}
}

// startReading counts parcels with a prepared statement until the new ones are there.
func startReading(t *testing.T, pool *pgxpool.Pool) <-chan map[int]bool {
	t.Helper()
	ended := make(chan map[int]bool, 1)
	go func() {
		seen := map[int]bool{}
		defer func() { ended <- seen }()
		for t.Context().Err() == nil && !seen[4_000] {
			var parcels, recorded int
			err := pool.QueryRow(t.Context(), `SELECT count(*), (SELECT row_count FROM geo.load
				WHERE active AND source = 'parcelles-demonstration') FROM geo.parcelle`).Scan(&parcels, &recorded)
			if err != nil {
				t.Errorf("read while loading: %v", err)
				return
			}
			if parcels != recorded {
				t.Errorf("%d parcels are there, %d recorded", parcels, recorded)
			}
			seen[parcels] = true
		}
	}()
	return ended
}

// More parcels than there is room for, or fewer than none, would end in a table that is not what was asked for.
func TestImpossibleNumbersAreRefused(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	for _, parcels := range []int{-1, 1 << 40} {
		if _, err := demo.Make(t.Context(), pool, options(pool, parcels, 1)); err == nil {
			t.Errorf("%d parcels were accepted", parcels)
		}
		if n := value[int](t, pool, `SELECT count(*) FROM geo.load WHERE demonstration`); n != 0 {
			t.Errorf("%d parcels: a load was recorded", parcels)
		}
	}
	build(t, pool, 0, 1)
}
