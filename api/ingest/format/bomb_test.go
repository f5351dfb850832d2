package format_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"arpent/api/ingest"
	"arpent/api/ingest/format"
	"arpent/api/source"
	"arpent/app/dev/loadkit"
	"arpent/app/dev/sevenzip"
	"arpent/app/dev/testkit"
)

// grid is a format of which a member is unpacked and not streamed.
var grid = source.Read{Format: source.Raster}

// An archive that would fill the disk, or write outside of its folder, is not unpacked at all.
func TestArchivesThatMustNotBeUnpacked(t *testing.T) { // not parallel: it fills the disk
	small := loadkit.LZMA2(t, "x")
	claims := func(name string, bytes uint64, attributes uint32) string {
		return loadkit.SevenZipOf(small, sevenzip.File{Name: name, Bytes: bytes, Attributes: attributes})
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
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			_, err := format.Unpack(placed(t, []string{"x"}, tc.archive), dir, grid, nil)
			loadkit.Contains(t, err, tc.says)
			if names := written(t, outer); len(names) > 0 {
				t.Errorf("written: %q", names)
			}
		})
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
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A member that is larger than the memory is read and unpacked piece by piece. Not parallel: it watches the whole heap.
func TestMembersLargerThanTheMemory(t *testing.T) {
	testkit.WithoutRaceDetector(t)
	const size, most = 300 << 20, 40 << 20
	const piece = 2 << 20
	zeros := make([]byte, piece)
	sum := crc32.NewIEEE()
	var zipped bytes.Buffer
	z := zip.NewWriter(&zipped)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
	w, err := z.Create("x.asc")
	if err != nil {
		t.Fatal(err)
	}
	for range size / piece {
		sum.Write(zeros)
		if _, err := w.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	// A compressed piece begins with a new dictionary, and a zero ends them all.
	block := strings.Repeat(strings.TrimSuffix(loadkit.LZMA2(t, string(zeros)), "\x00"), size/piece) + "\x00"
	sevenZip := loadkit.SevenZipOf(block, sevenzip.File{Name: "x.asc", Bytes: size, CRC: sum.Sum32()})
	for name, content := range map[string]string{"x.zip": zipped.String(), "x.7z": sevenZip} {
		path := placed(t, []string{name}, content)
		t.Run(name+" streamed", func(t *testing.T) {
			peak := heapDuring(t, func() {
				content, err := format.Content(path, grid, func(int64) {})
				if err != nil {
					t.Fatal(err)
				}
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
				paths, err := format.Unpack(path, t.TempDir(), grid, nil)
				if err != nil {
					t.Fatal(err)
				}
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
