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
	p := report.Parcel{IDU: idu, Arrondissement: idu[:5], Departement: idu[:2]}
	if strings.HasPrefix(idu, "97") {
		p.Departement = idu[:3]
	}
	const place = `SELECT ST_AsEWKB(geom), coalesce((SELECT min(k.commune_code) FROM geo.commune k WHERE k.code = $2), $2)
		FROM geo.parcelle WHERE idu = $1`
	if err := db.QueryRow(t.Context(), place, idu, idu[:5]).Scan(&p.Outline, &p.Commune); err != nil {
		t.Fatalf("parcel %s: %v", idu, err)
	}
	p.ParcelNear = NearestParcel(t, db)
	return p
}

// NearestParcel finds the parcel of an address, as the search does, in the parcels that db has at the first
// call. A test of many parcels makes one for all of them.
func NearestParcel(t *testing.T, db *pgxpool.Pool) func(lat, lon float64) (idu string, metres int, ok bool) {
	t.Helper()
	index := sync.OnceValue(func() *parcel.Index {
		s := parcel.NewIndex(db, t.TempDir(), topic.Sources())
		if err := s.Refresh(t.Context()); err != nil {
			t.Errorf("index the parcels: %v", err)
		}
		return s.Get()
	})
	return func(lat, lon float64) (near string, metres int, ok bool) {
		if x := index(); x.Communes() > 0 {
			return x.OfAddress(lat, lon)
		}
		err := db.QueryRow(t.Context(), nearestParcel, lon, lat).Scan(&near, &metres)
		return near, metres, err == nil
	}
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
