package format_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/ingest/format"
	"arpent/internal/opendata/source"
)

// buildDBF is a .dbf file. A column is "NAME:C8" or "NAME:N4"; cells
// are written as they are, cut to the width.
func buildDBF(columns []string, rows ...[]string) string {
	var widths []int
	var fields bytes.Buffer
	width := 1
	for _, c := range columns {
		name, form, _ := strings.Cut(c, ":")
		var w int
		fmt.Sscanf(form[1:], "%d", &w)
		field := make([]byte, 32)
		copy(field, name)
		field[11], field[16] = form[0], byte(w)
		fields.Write(field)
		widths = append(widths, w)
		width += w
	}
	head := make([]byte, 32)
	head[0], head[1], head[2], head[3] = 3, 124, 1, 1
	binary.LittleEndian.PutUint32(head[4:], uint32(len(rows)))
	binary.LittleEndian.PutUint16(head[8:], uint16(32+fields.Len()+1))
	binary.LittleEndian.PutUint16(head[10:], uint16(width))
	out := string(head) + fields.String() + "\r"
	for _, row := range rows {
		out += " "
		for i, cell := range row {
			out += (cell + strings.Repeat(" ", widths[i]))[:widths[i]]
		}
	}
	return out + "\x1a"
}

// convertFeatures makes the files of a format of GeoJSON features, by their extension.
func convertFeatures(t *testing.T, driver, name, layer string, features ...string) map[string]string {
	t.Helper()
	if _, err := exec.LookPath("ogr2ogr"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("GDAL is not installed: ", err)
	}
	dir := t.TempDir()
	in := filepath.Join(dir, "in.geojson")
	testkit.NoError(t, os.WriteFile(in, []byte(loadkit.Collection(features...)), 0o600))
	target := filepath.Join(t.TempDir(), name)
	if out, err := exec.Command("ogr2ogr", "-f", driver, target, in, "-nln", layer).CombinedOutput(); err != nil {
		t.Fatalf("ogr2ogr: %v: %s", err, out)
	}
	out := map[string]string{}
	found := testkit.Must(os.ReadDir(filepath.Dir(target)))(t)
	for _, f := range found {
		content := testkit.Must(os.ReadFile(filepath.Join(filepath.Dir(target), f.Name())))(t)
		out[filepath.Ext(f.Name())] = string(content)
	}
	return out
}

// prefixPaths gives the files of a Shapefile a path in an archive.
func prefixPaths(path string, files map[string]string, drop ...string) map[string]string {
	out := map[string]string{}
	for ext, content := range files {
		if !slices.Contains(drop, ext) {
			out[path+ext] = content
		}
	}
	return out
}

func mergeFiles(parts ...map[string]string) map[string]string {
	out := map[string]string{}
	for _, p := range parts {
		maps.Copy(out, p)
	}
	return out
}

// shapeSource is a source that is read through GDAL.
func shapeSource(read source.Read) source.Source {
	s := loadkit.Layer("caves", "")
	s.Files = []source.Files{{Path: `^caves\.[a-z.]+$`}, {Path: `(?i)/caves\.shp$`}}
	s.Read = read
	s.Columns = append([]source.Column{
		{Name: "member", From: []string{"_member"}, Internal: true}, {Name: "layer", From: []string{"_layer"}, Internal: true},
	}, s.Columns...)
	s.Columns[len(s.Columns)-1].SQL = "jsonb_strip_nulls(jsonb_build_object('kind', kind, 'member', member, 'layer', layer))"
	return s
}

const drawnRows = "SELECT id, attrs->>'kind' AS kind, attrs->>'member' AS member, attrs->>'layer' AS layer FROM geo.enrich_cavity"

// The members of an archive that the declaration means are read, wherever they are in it, and no others.
func TestMembersOfArchives(t *testing.T) {
	t.Parallel()
	one := convertFeatures(t, "ESRI Shapefile", "one.shp", "one", loadkit.Thing("1", "é", loadkit.Square(2, 48)))
	two := convertFeatures(t, "ESRI Shapefile", "two.shp", "two", loadkit.Thing("2", "b", loadkit.Square(2, 48)))
	bag := convertFeatures(t, "GPKG", "x.gpkg", "plan_38DDT1_zone_s", loadkit.Thing("3", "c", loadkit.Square(2, 48)))[".gpkg"]
	member := func(expr string) source.Read { return source.Read{Format: source.Shapefile, Member: expr} }
	for _, tc := range []struct {
		name, content string
		read          source.Read
		rows, says    string
	}{
		{"one of several", loadkit.Archive(t, mergeFiles(prefixPaths("a/b/N_ZONE_S_038", one), prefixPaths("a/N_DOC_S_038", two))),
			member(`(?i)/n_zone_[^/]*\.shp$`), "1|é|a/b/N_ZONE_S_038.shp|N_ZONE_S_038", ""},
		{"several that fit", loadkit.Archive(t, mergeFiles(prefixPaths("a/N_ISO_FOR", one), prefixPaths("N_ISO_MOY", two), map[string]string{"__MACOSX/._N_ISO_X.shp": "?"})),
			member(`N_ISO_[^/]*\.shp$`), "1|é|a/N_ISO_FOR.shp|N_ISO_FOR\n2|b|N_ISO_MOY.shp|N_ISO_MOY", ""},
		{"the only one", loadkit.Archive(t, mergeFiles(prefixPaths("a/ZONE", one), map[string]string{"readme.txt": "x"})), member(""), "1|é|a/ZONE.shp|ZONE", ""},
		{"upper case", loadkit.Archive(t, map[string]string{"Z.SHP": one[".shp"], "Z.SHX": one[".shx"], "Z.DBF": one[".dbf"], "Z.PRJ": one[".prj"]}),
			member(""), "1|é|Z.SHP|Z", ""},
		{"a name that is not UTF-8", loadkit.Archive(t, prefixPaths("P\x82rim\x8atre/ZONE", one)), member(""), "1|é|P\uFFFDrim\uFFFDtre/ZONE.shp|ZONE", ""},
		{"none, where there need not be any", loadkit.Archive(t, prefixPaths("a/ZONE", one)), source.Read{Format: source.Shapefile, Member: `PERIMETRE.*\.shp$`, Optional: true}, "", ""},
		{"no layer, where there need not be any", loadkit.Zipped(bag), source.Read{Format: source.GeoPackage, Layers: []string{"perimeter"}, Optional: true}, "", ""},
		{"a GeoPackage that is cut off, where there need not be a layer", loadkit.Zipped(bag[:30000]), source.Read{Format: source.GeoPackage, Layers: []string{"perimeter"}, Optional: true}, "", "read the tables"},
		{"which one?", loadkit.Archive(t, mergeFiles(prefixPaths("a/ZONE", one), prefixPaths("b/ZONE", two))), member(""), "", "it holds 2 files"},
		{"none", loadkit.Archive(t, prefixPaths("a/ZONE", one)), member(`PERIMETRE.*\.shp$`), "", "the archive holds no such file"},
		{"a GeoPackage in gzip", loadkit.Zipped(bag), source.Read{Format: source.GeoPackage, Layers: []string{`plan_\w+_ZONE_s`}}, "3|c|caves.gpkg|plan_38DDT1_zone_s", ""},
		{"a GeoPackage in zip", loadkit.Archive(t, map[string]string{"deep/er/x.gpkg": bag, "doc.pdf": "x"}),
			source.Read{Format: source.GeoPackage, Layers: []string{"nothing", "plan_.*"}}, "3|c|deep/er/x.gpkg|plan_38DDT1_zone_s", ""},
		{"no such layer", loadkit.Zipped(bag), source.Read{Format: source.GeoPackage, Layers: []string{"plan"}}, "", "it has the layers"},
		{"GeoJSON in zip", loadkit.Archive(t, map[string]string{"a/x.geojson": loadkit.Collection(loadkit.Thing("4", "d", loadkit.PointJSON(2, 48))), "a/x.xml": "<x/>"}),
			source.Read{Format: source.GeoJSON}, "4|d||", ""},
		{"a zip that is cut off", loadkit.Archive(t, prefixPaths("a", one))[:600], member(""), "", "zip"},
		{"the only one of a 7z archive", loadkit.SevenZip(t, mergeFiles(prefixPaths("a/ZONE", one), map[string]string{"readme.txt": "x"})), member(""), "1|é|a/ZONE.shp|ZONE", ""},
		{"several of a 7z archive", loadkit.SevenZip(t, mergeFiles(prefixPaths("a/N_ISO_FOR", one), prefixPaths("N_ISO_MOY", two), prefixPaths("b/N_DOC", two))),
			member(`N_ISO_[^/]*\.shp$`), "1|é|a/N_ISO_FOR.shp|N_ISO_FOR\n2|b|N_ISO_MOY.shp|N_ISO_MOY", ""},
		{"the one of a 7z archive that has the name of a file", loadkit.SevenZip(t, mergeFiles(prefixPaths("x/CAVES", one), prefixPaths("x/HILLS", two))), member(""), "1|é|x/CAVES.shp|CAVES", ""},
		{"a 7z archive that is cut off", loadkit.SevenZip(t, prefixPaths("a", one))[:400], member(""), "", "the 7z archive is cut off"},
		{"a table that is cut off", loadkit.Archive(t, mergeFiles(prefixPaths("a", one), map[string]string{"a.dbf": one[".dbf"][:100]})), member(""), "", "a.dbf: the file is cut off"},
		{"shapes that are cut off", loadkit.Archive(t, mergeFiles(prefixPaths("a", one), map[string]string{"a.shp": one[".shp"][:200]})), member(""), "", "a.shp: the file is cut off"},
		{"shapes without an end of their header", loadkit.Archive(t, mergeFiles(prefixPaths("a", one), map[string]string{"a.shp": "x"})), member(""), "", "not what its name says"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := loadkit.New(t, shapeSource(tc.read))
			b.File("caves.gpkg.gz", tc.content)
			_, err := b.Load(ingest.Request{})
			if tc.says != "" {
				loadkit.Contains(t, err, "caves.gpkg.gz", tc.says)
				b.Want(loadkit.Coverage, "")
				return
			}
			testkit.NoError(t, err)
			b.Want(drawnRows, tc.rows)
		})
	}
}

// The letters of a table are those that its writer meant, with or without the file that declares them, and a
// number that did not fit its column is none.
func TestTablesOfShapefiles(t *testing.T) {
	t.Parallel()
	columns := []string{"ID:C3", "NOM:C5", "HAUT:N4"}
	for _, tc := range []struct {
		name    string
		members map[string]string
		rows    string
	}{
		{"UTF-8 without .cpg", map[string]string{"a.dbf": buildDBF(columns, []string{"1", "été", "12"})}, `1|{"haut": "12", "name": "été"}`},
		{"UTF-8 that was cut within a letter, without .cpg", map[string]string{"a.dbf": buildDBF(columns, []string{"1", "caféé", "1"}, []string{"2", "éa", "2"})},
			`1|{"haut": "1", "name": "café"}` + "\n" + `2|{"haut": "2", "name": "éa"}`},
		{"Windows-1252 without .cpg", map[string]string{"a.dbf": buildDBF(columns, []string{"1", "\xe9t\xe9", "12"}, []string{"2", "\x9cuf", "1"})},
			`1|{"haut": "12", "name": "été"}` + "\n" + `2|{"haut": "1", "name": "œuf"}`},
		{"what the .cpg says", map[string]string{"a.dbf": buildDBF(columns, []string{"1", "\xc3\xa9", "12"}), "a.CPG": "ISO-8859-1"}, `1|{"haut": "12", "name": "Ã©"}`},
		{"a version with memos", map[string]string{"a.dbf": "\x83" + buildDBF(columns, []string{"1", "a", "12"})[1:]}, `1|{"haut": "12", "name": "a"}`},
		{"overflow", map[string]string{"a.dbf": buildDBF(columns, []string{"1", "a", "****"}, []string{"2", "", ""}, []string{"3", "c", "0"})},
			`1|{"name": "a"}` + "\n" + "2|{}\n" + `3|{"haut": "0", "name": "c"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := loadkit.Facts(source.Read{Format: source.Shapefile, Member: `(?i)\.dbf$`}, loadkit.Columns("name=nom", "haut")...)
			b := loadkit.New(t, s)
			b.File("facts.zip", loadkit.Archive(t, tc.members))
			b.MustLoad()
			b.Want("SELECT id, attrs FROM geo.enrich_radon", tc.rows)
		})
	}
}

// A Shapefile that names no projection holds degrees or metres, which its coordinates show.
func TestShapefilesWithoutProjection(t *testing.T) {
	t.Parallel()
	s := shapeSource(source.Read{Format: source.Shapefile})
	s.Geometry.MetricSRID = 2154
	metres := `{"type":"Point","coordinates":[652301.56,6861302.73]}`
	for name, shape := range map[string]string{"metres": metres, "degrees": loadkit.PointJSON(2.35, 48.85)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := convertFeatures(t, "ESRI Shapefile", "one.shp", "one", loadkit.Thing("1", "a", shape))
			b := loadkit.New(t, s)
			b.File("caves.zip", loadkit.Archive(t, prefixPaths("x", files, ".prj")))
			b.MustLoad()
			b.Want("SELECT ST_Distance(geom::geography, ST_Point(2.35, 48.85, 4326)::geography) < 0.05 AS there FROM geo.enrich_cavity", "true")
		})
	}
}

func zipOf(names ...string) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range names {
		if content, err := w.Create(name); err == nil {
			_, _ = io.WriteString(content, "id\n1\n")
		}
	}
	_ = w.Close()
	return out.Bytes()
}

// No archive makes unpacking it panic, write outside of its folder, or leave links there; and what is
// unpacked is no more than deflate can hold in so many bytes. With pack, the input is compressed with gzip
// first: so the fuzzer changes what is in it and not its checksum alone.
func FuzzUnpack(f *testing.F) {
	for _, name := range []string{"a.csv", "b/c.csv", "../up.csv", "/abs.csv", "a.csv/..", "b\\..\\c.csv", "__MACOSX/a.csv", strings.Repeat("d/", 90) + "a.csv"} {
		f.Add(zipOf(name, "a.csv"), false)
	}
	f.Add(zipOf("a.csv", "a.csv", "a.csv/b.csv"), false)
	f.Add([]byte("id\n1\n"), true)
	f.Add([]byte("\x1f\x8b"), false)
	f.Add([]byte("BZh9"), false)
	f.Fuzz(func(t *testing.T, in []byte, pack bool) {
		if pack {
			var out bytes.Buffer
			w := gzip.NewWriter(&out)
			_, _ = w.Write(in)
			_ = w.Close()
			in = out.Bytes()
		}
		outer := t.TempDir()
		path, dir := filepath.Join(outer, "f.gz"), filepath.Join(outer, "in")
		testkit.NoError(t, os.Mkdir(dir, 0o700))
		testkit.NoError(t, os.WriteFile(path, in, 0o600))
		paths, err := format.Unpack(path, dir, codes, func(string) bool { return true })
		for _, p := range paths {
			if st, statErr := os.Lstat(p); statErr != nil || !st.Mode().IsRegular() {
				t.Errorf("%s: %v, and unpacking said %v", p, statErr, err)
			}
		}
		entries, readErr := os.ReadDir(outer)
		if readErr != nil || len(entries) != 2 {
			t.Errorf("outside of the folder: %v %v", entries, readErr)
		}
		const maxRatio = 1100 // of deflate; what bzip2 holds is bounded by the limit of the unpacker alone
		var size int64
		for _, name := range listFiles(t, dir) {
			st, err := os.Lstat(filepath.Join(dir, name))
			if err != nil || !st.Mode().IsRegular() {
				t.Fatalf("%s is no file (%v)", name, err)
			}
			size += st.Size()
		}
		if !bytes.HasPrefix(in, []byte("BZh")) && size > int64(len(in))*maxRatio {
			t.Errorf("%d bytes of %d", size, len(in))
		}
	})
}
