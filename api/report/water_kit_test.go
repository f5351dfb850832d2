package report_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"arpent/app/dev/testkit"
)

func (b *bench) path(name string) string { return filepath.Join(b.data, filepath.FromSlash(name)) }

// gdal runs a command of GDAL, to make files of formats that are not text.
func (b *bench) gdal(name string, args ...string) {
	b.t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		b.t.Skipf("GDAL is not installed: %v", err)
	}
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		b.t.Fatalf("%s: %v: %s", name, err, out)
	}
}

// number is a member of a value.
func (b *bench) number(key, member string) float64 {
	b.t.Helper()
	var value map[string]any
	if err := json.Unmarshal([]byte(b.value(key)), &value); err != nil {
		b.t.Fatal(err)
	}
	n, ok := value[member].(float64)
	if !ok {
		b.t.Fatalf("%s of %s is %v", member, key, value[member])
	}
	return n
}

func (b *bench) lambert93(lon, lat float64) (x, y float64) {
	b.t.Helper()
	err := b.db.QueryRow(b.t.Context(), `SELECT ST_X(p), ST_Y(p) FROM ST_Transform(ST_SetSRID(ST_MakePoint($1, $2), 4326), 2154) p`, lon, lat).Scan(&x, &y)
	if err != nil {
		b.t.Fatal(err)
	}
	return x, y
}

// areas are the places that a layer is loaded for.
func (b *bench) areas(layer string) []string {
	b.t.Helper()
	var areas []string
	err := b.db.QueryRow(b.t.Context(), `SELECT coalesce(array_agg(area ORDER BY area), '{}') FROM geo.coverage WHERE layer = $1`, layer).Scan(&areas)
	if err != nil {
		b.t.Fatal(err)
	}
	return areas
}

// real makes the data folder that of the real samples.
func (b *bench) real(t *testing.T) { b.data = testkit.Data(t) }
