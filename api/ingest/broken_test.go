package ingest_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"arpent/api/ingest"
	"arpent/api/source"
)

// A file that is cut off, or is something else than its name says, costs an operator nothing: what was served before is
// served on, it is known for the same places, and no unpacked file is left on the disk. What a file names is not read in
// its place.
func TestBrokenArchivesChangeNothing(t *testing.T) { // not parallel: it has a folder for temporary files of its own
	one := drawn(t, "ESRI Shapefile", "one.shp", "one", thing("1", "a", square(2, 48)))
	bag := drawn(t, "GPKG", "x.gpkg", "zone", thing("1", "a", square(2, 48)))[".gpkg"]
	elsewhere := filepath.Join(t.TempDir(), "secret.geojson")
	if err := os.WriteFile(elsewhere, []byte(collection(thing("9", "secret", square(2, 48)))), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := map[string]string{
		"nothing": "", "a page": "<!DOCTYPE html><html>503</html>", "a zip in name": "PK\x03\x04 and then?", "a gzip in name": "\x1f\x8b and then?",
		"noise":              strings.Repeat("\x00\xff\x80", 1000),
		"a way out":          archive(t, all(within("../../x", one), map[string]string{"../x.gpkg": bag, "../x.geojson": "{}"})),
		"another file named": "<OGRVRTDataSource><OGRVRTLayer name=\"zone\"><SrcDataSource>" + elsewhere + "</SrcDataSource><SrcLayer>secret</SrcLayer></OGRVRTLayer></OGRVRTDataSource>",
	}
	for _, tc := range []struct {
		name, content string
		read          source.Read
	}{
		{"GeoJSON", zipped(collection(thing("1", "a", square(2, 48)))), source.Read{Format: source.GeoJSON}},
		{"GeoJSON in zip", archive(t, map[string]string{"x.geojson": collection(thing("1", "a", square(2, 48)))}), source.Read{Format: source.GeoJSON}},
		{"Shapefile", archive(t, within("a/ZONE", one)), source.Read{Format: source.Shapefile}},
		{"GeoPackage", bag, source.Read{Format: source.GeoPackage}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newBench(t, shapes(tc.read))
			unpacked := t.TempDir()
			t.Setenv("TMPDIR", unpacked)
			b.file("caves.gpkg", tc.content)
			b.mustLoad()
			rows, areas := b.text(drawnRows), b.text(coverage)
			files := maps.Clone(broken)
			files["cut off"] = tc.content[:len(tc.content)/2]
			for name, content := range files {
				b.file("caves.gpkg", content)
				if _, err := b.load(ingest.Request{}); err == nil {
					t.Errorf("%s was loaded", name)
				}
				b.want(drawnRows, rows)
				b.want(coverage, areas)
			}
			left, err := os.ReadDir(unpacked)
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// What goes wrong at the very end takes everything back, and loading the same again changes nothing that is known.
func TestASwapThatFails(t *testing.T) {
	t.Parallel()
	s := layer("caves", "")
	s.Covers[0].Areas = "SELECT DISTINCT id FROM ready"
	b := newBench(t, s)
	b.file("caves.geojson", collection(thing("38001", "cave", spot(5, 45))))
	b.mustLoad()
	const loads = "SELECT source, active FROM geo.load"
	for range 2 {
		b.want(served, "caves|38001|1|cave")
		b.want(coverage, "cavity|38001|caves||true")
		b.want(loads, "caves|true")
		b.file("caves.geojson", collection(thing("nowhere", "cave", spot(5, 45))))
		_, err := b.load(ingest.Request{Force: true})
		contains(t, err, `it would cover "nowhere"`)
	}
	b.file("caves.geojson", collection(thing("38001", "cave", spot(5, 45))))
	if _, err := b.load(ingest.Request{Force: true}); err != nil {
		t.Fatal(err)
	}
	b.want(served, "caves|38001|1|cave")
	b.want(coverage, "cavity|38001|caves||true")
	b.want(loads, "caves|false\ncaves|true")
}
