package format_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest/format"
	"arpent/internal/opendata/source"
)

// grid is a format of which a member is unpacked and not streamed.
var grid = source.Read{Format: source.Raster}

// An archive that would fill the disk, or write outside of its folder, is not unpacked at all.
func TestArchivesThatMustNotBeUnpacked(t *testing.T) { // not parallel: it fills the disk
	small := loadkit.LZMA2(t, "x")
	claims := func(name string, bytes uint64, attributes uint32) string {
		return loadkit.SevenZipOf(small, loadkit.SevenZipFile{Name: name, Bytes: bytes, Attributes: attributes})
	}
	const symlink, device = (0xa1ff << 16) | 0x8000, (0x61ff << 16) | 0x8000
	for _, tc := range []struct {
		name, archive string
		free          int64
		says          string
	}{
		{"7z: all that fits on no disk", claims("x.asc", 65<<30, 0), 1 << 50, "unpacks to more than 64 GiB"},
		{"7z: a number that overflows", claims("x.asc", 1<<63+5, 0), 1 << 50, "unpacks to more than 64 GiB"},
		{"7z: far more than its size", claims("x.asc", 2<<30, 0), 1 << 50, "more than 200 times as much"},
		{"7z: more than is free", claims("x.asc", 95<<20, 0), 100 << 20, "it unpacks to 95 MiB, but only 100 MiB are free"},
		{"7z: above the folder", claims("../x.asc", 1, 0), 1 << 50, "points outside"},
		{"7z: an absolute path", claims("/x.asc", 1, 0), 1 << 50, "points outside"},
		{"7z: a link", claims("x.asc", 1, symlink), 1 << 50, "is a link or a device"},
		{"7z: a device", claims("x.asc", 1, device), 1 << 50, "is a link or a device"},
		{"zip: all that fits on no disk", claimingZip(t, "x.asc", 65<<30, 0), 1 << 50, "unpacks to more than 64 GiB"},
		{"zip: far more than its size", claimingZip(t, "x.asc", 2<<30, 0), 1 << 50, "more than 200 times as much"},
		{"zip: more than is free", claimingZip(t, "x.asc", 95<<20, 0), 100 << 20, "only 100 MiB are free"},
		{"zip: above the folder", claimingZip(t, "../x.asc", 1, 0), 1 << 50, "points outside"},
		{"zip: a link", claimingZip(t, "x.asc", 1, os.ModeSymlink|0o777), 1 << 50, "is a link or a device"},
		{"zip: encrypted", strings.ReplaceAll(loadkit.Archive(t, map[string]string{"x.asc": "x"}), "\x14\x00\x08\x00", "\x14\x00\x09\x00"), 1 << 50, "encrypted"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Cleanup(format.SetFreeBytes(tc.free))
			outer := t.TempDir()
			dir := filepath.Join(outer, "in")
			testkit.NoError(t, os.Mkdir(dir, 0o700))
			_, err := format.Unpack(writeFiles(t, []string{"x"}, tc.archive), dir, grid, nil)
			loadkit.Contains(t, err, tc.says)
			if names := listFiles(t, outer); len(names) > 0 {
				t.Errorf("written: %q", names)
			}
		})
	}
}

// A compressed file does not say what it holds: it is given up where it unpacks to far more than its size,
// also inside of an archive, or fills the disk.
func TestCompressedFilesAreLimited(t *testing.T) { // not parallel: it fills the disk
	testkit.SkipIfShort(t)
	piece := loadkit.Zipped(strings.Repeat("\x00", 16<<20))
	bomb := strings.Repeat(piece, 65) // the parts of one gzip file follow one another
	table := source.Read{Format: source.CSV}
	for name, content := range map[string]string{"x.csv.gz": bomb, "x.zip": loadkit.Archive(t, map[string]string{"x.csv": bomb})} {
		in, err := format.Content(writeFiles(t, []string{name}, content), table, func(int64) {})
		testkit.NoError(t, err)
		_, err = io.Copy(io.Discard, in)
		loadkit.Contains(t, errors.Join(err, in.Close()), "unpacks to more than 200 times as much")
	}
	t.Cleanup(format.SetFreeBytes(10 << 20))
	dir := t.TempDir()
	_, err := format.Unpack(writeFiles(t, []string{"x.gpkg.gz"}, piece), dir, source.Read{Format: source.GeoPackage}, nil)
	loadkit.Contains(t, err, "nine tenths of what is free")
	if info, err := os.Stat(filepath.Join(dir, "x.gpkg")); err != nil || info.Size() > 10<<20 {
		t.Errorf("written: %v, %v", info, err)
	}
}

// claimingZip is a zip archive of one byte that claims to be more.
func claimingZip(t *testing.T, name string, size uint64, mode os.FileMode) string {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	head := &zip.FileHeader{Name: name, UncompressedSize64: size, CompressedSize64: 1, CRC32: crc32.ChecksumIEEE([]byte("x"))}
	if mode != 0 {
		head.SetMode(mode)
	}
	w, err := z.CreateRaw(head)
	if err == nil {
		_, err = w.Write([]byte("x"))
	}
	if err == nil {
		err = z.Close()
	}
	testkit.NoError(t, err)
	return out.String()
}

// A member that is larger than the memory is read and unpacked piece by
// piece. Not parallel: it watches the whole heap.
func TestMembersLargerThanTheMemory(t *testing.T) {
	testkit.SkipIfShort(t)
	const size, most = 120 << 20, 40 << 20
	const piece = 2 << 20
	zeros := make([]byte, piece)
	sum := crc32.NewIEEE()
	var zipped bytes.Buffer
	z := zip.NewWriter(&zipped)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
	w := testkit.Must(z.Create("x.asc"))(t)
	for range size / piece {
		sum.Write(zeros)
		testkit.Must(w.Write(zeros))(t)
	}
	testkit.NoError(t, z.Close())
	// A compressed piece begins with a new dictionary, and a zero ends them all.
	block := strings.Repeat(strings.TrimSuffix(loadkit.LZMA2(t, string(zeros)), "\x00"), size/piece) + "\x00"
	sevenZip := loadkit.SevenZipOf(block, loadkit.SevenZipFile{Name: "x.asc", Bytes: size, CRC: sum.Sum32()})
	for name, content := range map[string]string{"x.zip": zipped.String(), "x.7z": sevenZip} {
		path := writeFiles(t, []string{name}, content)
		t.Run(name+" streamed", func(t *testing.T) {
			peak := heapDuring(t, func() {
				content := testkit.Must(format.Content(path, grid, func(int64) {}))(t)
				n, err := io.Copy(io.Discard, content)
				if err != nil || n != size || content.Close() != nil {
					t.Errorf("%d bytes, %v", n, err)
				}
			})
			if peak > most {
				t.Errorf("the heap grew by %d MiB", peak>>20)
			}
		})
		t.Run(name+" unpacked", func(t *testing.T) {
			peak := heapDuring(t, func() {
				paths := testkit.Must(format.Unpack(path, t.TempDir(), grid, nil))(t)
				if info, err := os.Stat(paths[0]); err != nil || info.Size() != size {
					t.Errorf("%v, %v", info, err)
				}
			})
			if peak > most {
				t.Errorf("the heap grew by %d MiB", peak>>20)
			}
		})
	}
}

// heapDuring is by how much the heap grows while something runs.
func heapDuring(t *testing.T, run func()) (peak int64) {
	t.Helper()
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	before := m.HeapInuse
	stop, done := make(chan struct{}), make(chan struct{})
	defer func() { close(stop); <-done }() // also when the test ends within run
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
				runtime.ReadMemStats(&m)
				peak = max(peak, int64(m.HeapInuse)-int64(before))
			}
		}
	}()
	run()
	return peak
}

// A file that is cut off, or is something else than its name says, is refused, and no unpacked file is left
// on the disk. What a file names is not read in its place.
func TestBrokenArchivesAreRefused(t *testing.T) {
	t.Parallel()
	one := convertFeatures(t, "ESRI Shapefile", "one.shp", "one", loadkit.Thing("1", "a", loadkit.Square(2, 48)))
	bag := convertFeatures(t, "GPKG", "x.gpkg", "zone", loadkit.Thing("1", "a", loadkit.Square(2, 48)))[".gpkg"]
	collection := loadkit.Collection(loadkit.Thing("1", "a", loadkit.Square(2, 48)))
	elsewhere := writeFiles(t, []string{"secret.geojson"}, collection)
	broken := map[string]string{
		"nothing": "", "a page": "<!DOCTYPE html><html>503</html>", "a zip in name": "PK\x03\x04 and then?", "a gzip in name": "\x1f\x8b and then?",
		"a 7z in name":       "7z\xbc\xaf\x27\x1c and then?",
		"noise":              strings.Repeat("\x00\xff\x80", 1000),
		"a way out":          loadkit.Archive(t, mergeFiles(prefixPaths("../../x", one), map[string]string{"../x.gpkg": bag, "../x.geojson": "{}"})),
		"another file named": "<OGRVRTDataSource><OGRVRTLayer name=\"zone\"><SrcDataSource>" + elsewhere + "</SrcDataSource><SrcLayer>secret</SrcLayer></OGRVRTLayer></OGRVRTDataSource>",
	}
	for name, tc := range map[string]struct {
		content string
		format  source.Format
	}{
		"GeoJSON":         {loadkit.Zipped(collection), source.GeoJSON},
		"GeoJSON in zip":  {loadkit.Archive(t, map[string]string{"x.geojson": collection}), source.GeoJSON},
		"Shapefile":       {loadkit.Archive(t, prefixPaths("a/ZONE", one)), source.Shapefile},
		"Shapefile in 7z": {loadkit.SevenZip(t, prefixPaths("a/ZONE", one)), source.Shapefile},
		"GeoPackage":      {bag, source.GeoPackage},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			temp := t.TempDir()
			read := func(content string) error {
				_, err := readIn(t, writeFiles(t, []string{"caves.gpkg"}, content), source.Read{Format: tc.format}, temp)
				return err
			}
			testkit.NoError(t, read(tc.content))
			files := maps.Clone(broken)
			files["cut off"] = tc.content[:len(tc.content)/2]
			for name, content := range files {
				if read(content) == nil {
					t.Errorf("%s was read", name)
				}
			}
			if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// marker is the content of a file that no download may publish.
const marker = "sk_live_marker"

// readAll reads a file to its end, and returns all texts in it.
func readAll(t *testing.T, path string, spec source.Read) (text string, err error) {
	t.Helper()
	return readIn(t, path, spec, "")
}

// readIn is readAll with a folder for what is unpacked.
func readIn(t *testing.T, path string, spec source.Read, temp string) (text string, err error) {
	t.Helper()
	r, err := format.Open(t.Context(), path, spec, format.Options{SRID: 2154, Geometry: &source.Geometry{}, Temp: temp})
	if err != nil {
		return "", err
	}
	defer r.Close()
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return text, nil
		}
		if _, isRecord := errors.AsType[*format.RecordError](err); err != nil && !isRecord {
			return text, err
		}
		if rec.Fields != nil {
			for _, name := range []string{"id", "name", "secret", "COL001", "cells"} {
				cell, _ := rec.Fields.Text(name)
				text += cell
			}
			if grid, is := rec.Fields.(format.RealFields); is {
				cells, _ := grid.Reals("cells")
				for _, v := range cells {
					text += string(rune(v))
				}
			}
		}
	}
}

// A file of a producer that was tampered with is refused for what it is. Whatever it names, no byte of
// another file of this machine gets into the data, and no address is called.
func TestHostileFilesAreRefused(t *testing.T) {
	one := convertFeatures(t, "ESRI Shapefile", "one.shp", "one", loadkit.Thing("1", "a", loadkit.Square(2, 48)))
	bag := convertFeatures(t, "GPKG", "x.gpkg", "zone", loadkit.Thing("1", "a", loadkit.Square(2, 48)))[".gpkg"]
	secret := filepath.Join(t.TempDir(), "secret")
	testkit.NoError(t, os.WriteFile(secret, []byte(marker+","+marker+"\n"), 0o600))
	t.Setenv("ARPENT_STRIPE_KEY", marker)
	listener := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { listener.Close() })
	calls := make(chan net.Addr, 100)
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			calls <- c.RemoteAddr()
			c.Close()
		}
	}()
	raster := func(from string) string {
		return `<VRTDataset rasterXSize="14" rasterYSize="1"><SRS>EPSG:2154</SRS><GeoTransform>600000,1,0,6800000,0,-1</GeoTransform>` +
			`<VRTRasterBand dataType="Byte" band="1" subClass="VRTRawRasterBand"><SourceFilename>` + from + `</SourceFilename></VRTRasterBand></VRTDataset>`
	}
	layer := func(from string) string {
		return `<OGRVRTDataSource><OGRVRTLayer name="zone"><SrcDataSource>` + from + `</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>`
	}
	remote := "/vsicurl/http://" + listener.Addr().String() + "/x"
	const notGenuine = "is not what its name says"
	type hostile struct {
		name, path, says string
		format           source.Format
	}
	var cases []hostile
	add := func(f source.Format, name, file, content, says string) {
		cases = append(cases, hostile{name: name, path: writeFiles(t, []string{file}, content), says: says, format: f})
	}
	for _, from := range []string{secret, "/proc/self/environ", remote} {
		for _, file := range []string{"x_MNT_LAMB93_IGN69.asc", "x.tif"} {
			add(source.Raster, "virtual raster of "+from+" as "+file, file, raster(from), notGenuine)
		}
		for f, file := range map[source.Format]string{source.GeoPackage: "x.gpkg", source.Shapefile: "x.shp"} {
			add(f, "virtual layer of "+from+" as "+file, file, layer(from), notGenuine)
		}
	}
	add(source.GeoPackage, "GML with an entity", "x.gpkg", `<!DOCTYPE x [<!ENTITY e SYSTEM "file://`+secret+`">]><x>&e;</x>`, notGenuine)
	deep := strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000)
	add(source.GeoJSON, "10 000 levels", "x.geojson", `{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null,"properties":`+deep+`}]}`, "")
	many := map[string]string{}
	var listed []loadkit.SevenZipFile
	for n := range 10_001 {
		name := fmt.Sprintf("d/%d.asc", n)
		many[name] = ""
		listed = append(listed, loadkit.SevenZipFile{Name: name, Bytes: 1, CRC: crc32.ChecksumIEEE([]byte("x"))})
	}
	add(source.Raster, "10 001 files", "x.zip", loadkit.Archive(t, many), "more than 10000 files")
	add(source.Raster, "10 001 files", "x.7z", loadkit.SevenZipOf(loadkit.LZMA2(t, strings.Repeat("x", len(listed))), listed...), "more than 10000 files")
	for name, content := range hostileWorkbooks(t, secret, remote) {
		add(source.Spreadsheet, name, "x.xlsx", content[0], content[1])
	}

	linked := t.TempDir()
	for ext, content := range one {
		if ext == ".dbf" {
			testkit.NoError(t, os.Symlink(secret, filepath.Join(linked, "one.dbf")))
		} else if err := os.WriteFile(filepath.Join(linked, "one"+ext), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const option, connection = "-sql", "PG:host=127.0.0.1 dbname=x port="
	cases = append(cases,
		hostile{name: "table that is a link", path: filepath.Join(linked, "one.shp"), format: source.Shapefile},
		hostile{"shapes that are called as an option", writeFiles(t, []string{option + ".shp", option + ".dbf"}, one[".shp"], one[".dbf"]), "the name", source.Shapefile})
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	renamed := func(name string) []string {
		return []string{`ALTER TABLE zone RENAME TO "` + name + `"`,
			"UPDATE gpkg_contents SET table_name = '" + name + "'", "UPDATE gpkg_geometry_columns SET table_name = '" + name + "'"}
	}
	for name, sql := range map[string][]string{
		"virtual table": {"CREATE VIRTUAL TABLE leak USING VirtualText('" + secret + "', 'UTF-8', 0, POINT, NONE, ',')"},
		"a view": {"ALTER TABLE zone RENAME TO plain", "CREATE VIEW zone AS SELECT * FROM plain",
			"UPDATE gpkg_contents SET table_name = 'zone'", "UPDATE gpkg_geometry_columns SET table_name = 'zone'"},
		"a view over a virtual table": {"CREATE VIRTUAL TABLE leak USING VirtualText('" + secret + "', 'UTF-8', 0, POINT, NONE, ',')",
			"ALTER TABLE zone RENAME TO plain", "CREATE VIEW zone AS SELECT p.fid AS fid, p.geom AS geom, l.COL001 AS secret FROM plain p, leak l",
			"UPDATE gpkg_contents SET table_name = 'zone'", "UPDATE gpkg_geometry_columns SET table_name = 'zone'"},
		"layer called as an option":        renamed(option),
		"layer called as a database":       renamed(connection + port),
		"layer called as a remote file":    renamed(remote),
		"a computed column":                {"CREATE TABLE x (a TEXT, secret TEXT GENERATED ALWAYS AS (upper(a)))"},
		"a computed column with a comment": {"CREATE TABLE x (a TEXT, secret TEXT AS /**/ (upper(a)))"},
		"a computed column with a mark":    {"CREATE TABLE x (a TEXT, secret TEXT AS \ufeff (upper(a)))"},
		"a view that is no layer":          {"CREATE VIEW other AS SELECT * FROM zone"},
		"virtual table called as an index": {`CREATE VIRTUAL TABLE "leak USING rtree(" USING VirtualText('` + secret + "', 'UTF-8', 0, POINT, NONE, ',')"},
		// An attacker also writes what SQLite would not: the bytes of the file before the arrow become those
		// after it.
		"virtual table with a comment": {"CREATE VIRTUAL TABLE leak     USING VirtualText('" + secret + "', 'UTF-8', 0, POINT, NONE, ',')",
			"CREATE VIRTUAL TABLE leak     USING => CREATE/**/ VIRTUAL TABLE leak USING"},
	} {
		path := writeFiles(t, []string{"x.gpkg"}, bag)
		for _, statement := range sql {
			if former, latter, isPatch := strings.Cut(statement, " => "); isPatch {
				replaceBytes(t, path, former, latter)
				continue
			}
			if out, err := exec.Command("ogrinfo", path, "-sql", statement).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v: %s", statement, err, out)
			}
		}
		cases = append(cases, hostile{name: name, path: path, says: "ordinary tables|computed|the name|layers", format: source.GeoPackage})
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			var text string
			var err error
			peak := heapDuring(t, func() {
				text, err = readAll(t, tc.path, source.Read{Format: tc.format, Layers: []string{"zone", "PARCELLE_id"}})
			})
			if err == nil {
				t.Error("it was read")
			}
			if err != nil && tc.says != "" && !containsAny(err.Error(), strings.Split(tc.says, "|")) {
				t.Errorf("refused for another reason: %v", err)
			}
			if strings.Contains(text, marker) || err != nil && strings.Contains(err.Error(), marker) {
				t.Errorf("it published the secret: %q, %v", text, err)
			}
			if peak > 512<<20 {
				t.Errorf("it took %d MiB", peak>>20)
			}
		})
	}
	if len(calls) > 0 {
		t.Errorf("called by %s", <-calls)
	}
}

// replaceBytes replaces bytes of a file, which has them once, by as many others.
func replaceBytes(t *testing.T, path, former, latter string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err == nil && (bytes.Count(content, []byte(former)) != 1 || len(former) != len(latter)) {
		err = fmt.Errorf("%q is %d times in it, for %q", former, bytes.Count(content, []byte(former)), latter)
	}
	if err == nil {
		err = os.WriteFile(path, bytes.Replace(content, []byte(former), []byte(latter), 1), 0o600)
	}
	testkit.NoError(t, err)
}

func containsAny(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}
