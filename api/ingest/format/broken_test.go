package format_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"arpent/api/ingest"
	"arpent/api/source"
	"arpent/app/dev/loadkit"
)

// A file that is cut off, or is something else than its name says, costs an operator nothing: what was served before is
// served on, it is known for the same places, and no unpacked file is left on the disk. What a file names is not read in
// its place.
func TestBrokenArchivesChangeNothing(t *testing.T) { // not parallel: there is no folder for temporary files
	one := drawn(t, "ESRI Shapefile", "one.shp", "one", loadkit.Thing("1", "a", loadkit.Square(2, 48)))
	bag := drawn(t, "GPKG", "x.gpkg", "zone", loadkit.Thing("1", "a", loadkit.Square(2, 48)))[".gpkg"]
	elsewhere := filepath.Join(t.TempDir(), "secret.geojson")
	if err := os.WriteFile(elsewhere, []byte(loadkit.Collection(loadkit.Thing("9", "secret", loadkit.Square(2, 48)))), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := map[string]string{
		"nothing": "", "a page": "<!DOCTYPE html><html>503</html>", "a zip in name": "PK\x03\x04 and then?", "a gzip in name": "\x1f\x8b and then?",
		"a 7z in name":       "7z\xbc\xaf\x27\x1c and then?",
		"noise":              strings.Repeat("\x00\xff\x80", 1000),
		"a way out":          loadkit.Archive(t, all(within("../../x", one), map[string]string{"../x.gpkg": bag, "../x.geojson": "{}"})),
		"another file named": "<OGRVRTDataSource><OGRVRTLayer name=\"zone\"><SrcDataSource>" + elsewhere + "</SrcDataSource><SrcLayer>secret</SrcLayer></OGRVRTLayer></OGRVRTDataSource>",
	}
	for _, tc := range []struct {
		name, content string
		read          source.Read
	}{
		{"GeoJSON", loadkit.Zipped(loadkit.Collection(loadkit.Thing("1", "a", loadkit.Square(2, 48)))), source.Read{Format: source.GeoJSON}},
		{"GeoJSON in zip", loadkit.Archive(t, map[string]string{"x.geojson": loadkit.Collection(loadkit.Thing("1", "a", loadkit.Square(2, 48)))}), source.Read{Format: source.GeoJSON}},
		{"Shapefile", loadkit.Archive(t, within("a/ZONE", one)), source.Read{Format: source.Shapefile}},
		{"Shapefile in 7z", loadkit.SevenZip(t, within("a/ZONE", one)), source.Read{Format: source.Shapefile}},
		{"GeoPackage", bag, source.Read{Format: source.GeoPackage}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := loadkit.New(t, shapes(tc.read))
			t.Setenv("TMPDIR", filepath.Join(b.State, "none")) // nothing is unpacked there
			b.File("caves.gpkg", tc.content)
			b.MustLoad()
			rows, areas := b.Text(drawnRows), b.Text(loadkit.Coverage)
			files := maps.Clone(broken)
			files["cut off"] = tc.content[:len(tc.content)/2]
			for name, content := range files {
				b.File("caves.gpkg", content)
				if _, err := b.Load(ingest.Request{}); err == nil {
					t.Errorf("%s was loaded", name)
				}
				b.Want(drawnRows, rows)
				b.Want(loadkit.Coverage, areas)
			}
			left, err := os.ReadDir(filepath.Join(b.State, "unpacked"))
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}
