package reportkit

import (
	"slices"
	"strings"
	"time"

	"arpent/internal/opendata/report"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/topic"
)

// Key is the value of one key in the report of a parcel, as JSON, "null" when it has none, and its state.
func (f *Fixture) Key(idu, key string) (value string, of state.KeyState) {
	f.T.Helper()
	store, err := report.Open(f.T.Context(), report.Options{
		Catalogue: topic.Report(), URL: f.DB.Config().ConnString(), Timeout: time.Minute})
	if err != nil {
		f.T.Fatal(err)
	}
	defer store.Close()
	p := report.Parcel{IDU: idu, Arrondissement: idu[:5], Departement: idu[:2],
		Keys: []string{key}}
	if strings.HasPrefix(idu, "97") {
		p.Departement = idu[:3]
	}
	const place = `SELECT ST_AsEWKB(geom), coalesce((SELECT min(k.commune_code) FROM geo.commune k WHERE k.code = $2), $2)
		FROM geo.parcelle WHERE idu = $1`
	if err := f.DB.QueryRow(f.T.Context(), place, idu, idu[:5]).Scan(&p.Outline, &p.Commune); err != nil {
		f.T.Fatalf("parcel %s: %v", idu, err)
	}
	r, err := store.Report(f.T.Context(), p)
	if err != nil {
		f.T.Fatal(err)
	}
	i := slices.IndexFunc(topic.Report().Keys(), func(k report.Key) bool { return k.Name == key })
	if r.Values[i] == nil {
		return "null", r.States[i]
	}
	return string(r.Values[i]), r.States[i]
}
