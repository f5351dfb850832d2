package reportkit

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api/parcel"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/report"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/topic"
)

// Key is the value of one key in the report of a parcel, as JSON, "null" when it has none, and its state.
func (f *Fixture) Key(idu, key string) (value string, of state.KeyState) {
	f.T.Helper()
	store, err := report.Open(f.T.Context(), report.Options{
		Catalogue: topic.Report(), URL: f.DB.Config().ConnString(), Timeout: time.Minute})
	testkit.NoError(f.T, err)
	defer store.Close()
	p := ReadParcel(f.T, f.DB, idu)
	p.Keys = []string{key}
	return ReadKey(f.T, store, p, key)
}

// ReadParcel is a parcel of the table, as its report is asked for.
func ReadParcel(t *testing.T, db *pgxpool.Pool, idu string) report.Parcel {
	t.Helper()
	return NewReader(t, db).Parcel(idu)
}

// Reader reads parcels as their reports are asked for. A test of many parcels makes one for all of them.
type Reader struct {
	t  *testing.T
	db *pgxpool.Pool
	// of the parcels that db has at the first call; without any, where no load wrote them
	index func() *parcel.Index
}

// NewReader makes a reader.
func NewReader(t *testing.T, db *pgxpool.Pool) *Reader {
	return &Reader{t: t, db: db, index: sync.OnceValue(func() *parcel.Index {
		s := parcel.NewIndex(db, t.TempDir(), topic.Sources())
		if err := s.Refresh(t.Context()); err != nil {
			t.Errorf("index the parcels: %v", err)
		}
		return s.Get()
	})}
}

// Parcel reads a parcel.
func (r *Reader) Parcel(idu string) report.Parcel {
	r.t.Helper()
	p := report.Parcel{IDU: idu, Arrondissement: idu[:5], Departement: idu[:2], ParcelNear: r.findNearest}
	if strings.HasPrefix(idu, "97") {
		p.Departement = idu[:3]
	}
	const place = `SELECT coalesce((SELECT min(k.commune_code) FROM geo.commune k WHERE k.code = $1), $1)`
	testkit.NoError(r.t, r.db.QueryRow(r.t.Context(), place, idu[:5]).Scan(&p.Commune))
	err := r.db.QueryRow(r.t.Context(), outlines, idu, report.NearUnits).Scan(&p.Outline, &p.Near.IDUs, &p.Near.Outlines)
	if err != nil {
		r.t.Fatalf("parcel %s: %v", idu, err)
	}
	return p
}

// outlines reads a parcel and those around it from their blocks, by parcel_block_pkey and parcel_block_box.
const outlines = `WITH own AS MATERIALIZED (
	SELECT ST_SetSRID(ST_GeomFromTWKB(p.shape), 4326) AS geom
	FROM geo.parcel_block b CROSS JOIN LATERAL unnest(b.idus, b.shapes) AS p (idu, shape)
	WHERE b.first_idu BETWEEN left($1, 5) AND $1 AND b.last_idu >= $1 AND p.idu = $1)
SELECT ST_AsEWKB(o.geom), coalesce(n.idus, '{}'), coalesce(n.outlines, '{}')
FROM own o CROSS JOIN LATERAL (SELECT array_agg(p.idu) AS idus, array_agg(ST_AsEWKB(ST_ForcePolygonCCW(p.geom))) AS outlines
	FROM geo.parcel_block b CROSS JOIN LATERAL (SELECT i.idu, ST_SetSRID(ST_GeomFromTWKB(i.shape), 4326) AS geom
		FROM unnest(b.idus, b.shapes) AS i (idu, shape)) p
	WHERE b.box && ST_Expand(o.geom, $2 / 1e7) AND p.geom && ST_Expand(o.geom, $2 / 1e7) AND p.idu <> $1) n`

// findNearest finds the parcel of an address, as the search does.
func (r *Reader) findNearest(lat, lon float64) (near string, metres int, ok bool) {
	if x := r.index(); x.Communes() > 0 {
		return x.OfAddress(lat, lon)
	}
	err := r.db.QueryRow(r.t.Context(), nearestParcel, lon, lat).Scan(&near, &metres)
	return near, metres, err == nil
}

// ReadKey is Fixture.Key for a parcel and a store that is open.
func ReadKey(
	t *testing.T, store *report.Store, p report.Parcel, key string) (value string, of state.KeyState) {
	t.Helper()
	r, err := store.Report(t.Context(), p)
	testkit.NoError(t, err)
	i := slices.IndexFunc(topic.Report().Keys(), func(k report.Key) bool { return k.Name == key })
	if i < 0 {
		t.Fatalf("the report has no key %s", key)
	}
	if r.Values[i] == nil {
		return "null", r.States[i]
	}
	return string(r.Values[i]), r.States[i]
}

// nearestParcel is the rule of parcel.Index.OfAddress for parcels that a test has written to the table
// itself, which no index is built from.
const nearestParcel = `SELECT idu, CASE WHEN m = 0 THEN 0 ELSE greatest(1, round(m)::int) END FROM (
	SELECT idu, ST_Distance(geom::geography, ST_SetSRID(ST_MakePoint($1, $2), 4326)::geography) AS m FROM geo.parcelle) p
	WHERE m <= 50 ORDER BY m, idu LIMIT 1`

// Address is an address in a report.
type Address struct {
	Label, Street, Match string
	DistanceM            int
}

// ReadAddresses returns banAddresses of the report of a parcel.
func ReadAddresses(t *testing.T, store *report.Store, p report.Parcel) (all []Address) {
	t.Helper()
	value, _ := ReadKey(t, store, p, "banAddresses")
	testkit.NoError(t, json.Unmarshal([]byte(value), &all))
	return all
}
