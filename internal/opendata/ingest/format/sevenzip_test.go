package format_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest/format"
	"arpent/internal/opendata/source"
)

// codes is the table that all archives of testdata hold, packed by 7-Zip 26.02.
var codes = source.Read{Format: source.CSV}

// readCodes returns the cells of the first column, one after the other.
func readCodes(t *testing.T, path string) (cells []string, err error) {
	t.Helper()
	err = loadkit.EachRecord(t.Context(), path, codes, []string{"id"}, func(_ int64, row []string) { cells = append(cells, row[0]) })
	return cells, err
}

// writeFiles writes files into a folder and returns the path of the first.
func writeFiles(t *testing.T, names []string, contents ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i, name := range names {
		testkit.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(contents[i]), 0o600))
	}
	return filepath.Join(dir, names[0])
}

func readArchive(t *testing.T, name string) string {
	t.Helper()
	content := testkit.Must(os.ReadFile(filepath.Join("testdata", name)))(t)
	return string(content)
}

// volumeFiles are the names and contents of the volumes of an archive but those that are left out.
func volumeFiles(archive string, without ...int) (names, contents []string) {
	for i, content := range loadkit.Volumes(archive, 200) {
		if !slices.Contains(without, i+1) {
			names, contents = append(names, fmt.Sprintf("codes.7z.%03d", i+1)), append(contents, content)
		}
	}
	return names, contents
}

// What 7-Zip packs is read as it was packed, however it is compressed and in however many volumes it comes.
func TestSevenZipIsRead(t *testing.T) {
	t.Parallel()
	const table = "id,name\n01001,Ain\n02001,Aisne\n"
	names, contents := volumeFiles(readArchive(t, "lzma2.7z"))
	if len(names) != 5 {
		t.Fatalf("%d volumes; expected five", len(names))
	}
	want, err := readCodes(t, filepath.Join("testdata", "codes.csv"))
	if err != nil || len(want) < 50 {
		t.Fatalf("%d codes, %v", len(want), err)
	}
	for name, path := range map[string]string{
		"LZMA2": "testdata/lzma2.7z", "LZMA2 behind BCJ": "testdata/bcj.7z", "LZMA, the list not compressed": "testdata/lzma.7z", "stored": "testdata/copy.7z",
		"in volumes": writeFiles(t, names, contents...),
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := readCodes(t, path); err != nil || !slices.Equal(got, want) {
				t.Errorf("%d codes, %v; expected %d", len(got), err, len(want))
			}
		})
	}
	ours := writeFiles(t, []string{"x.7z"}, loadkit.SevenZip(t, map[string]string{"a/x.csv": table, "a/readme.pdf": "x"}))
	if got, err := readCodes(t, ours); err != nil || !slices.Equal(got, []string{"01001", "02001"}) {
		t.Errorf("%q, %v", got, err)
	}
}

// An archive that is damaged, encrypted or not all there is an error that
// says which; it is never a part of the rows.
func TestSevenZipThatCannotBeRead(t *testing.T) {
	t.Parallel()
	whole := readArchive(t, "lzma2.7z")
	flipped := func(at int) string {
		b := []byte(whole)
		b[at] ^= 0xff
		return string(b)
	}
	// The archive without its list, so that what is between is known.
	const table = "id,name\n01001,Ain\n"
	wrongSum := loadkit.SevenZipOf(loadkit.LZMA2(t, table), loadkit.SevenZipFile{Name: "x.csv", Bytes: uint64(len(table)), CRC: 1})
	for _, tc := range []struct {
		name, content string
		says          string
	}{
		{"encrypted", readArchive(t, "encrypted.7z"), "the archive is encrypted"},
		{"its names encrypted as well", readArchive(t, "encrypted-names.7z"), "the archive is encrypted"},
		{"cut off in its content", whole[:len(whole)/2], "the 7z archive is cut off: it has"},
		{"cut off after its magic", whole[:10], "the 7z archive is cut off: it has 10 bytes of 32"},
		{"a byte of its start", flipped(14), "the checksum of its header does not match"},
		{"a byte of its list", flipped(len(whole) - 5), "the checksum of the list of its members does not match"},
		{"a byte of its content", flipped(300), "the 7z archive is damaged"},
		{"another checksum", wrongSum, "the checksum of a member does not match"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := readCodes(t, writeFiles(t, []string{"codes.7z"}, tc.content))
			loadkit.Contains(t, err, tc.says)
		})
	}
}

// A volume that is missing is named, and the archive without it is not read.
func TestVolumesThatAreMissing(t *testing.T) {
	t.Parallel()
	whole := readArchive(t, "lzma2.7z")
	for without, says := range map[int]string{1: "no such file", 2: "its volume .002 is missing", 4: "its volume .004 is missing",
		5: "it has 4 volumes here, of which one is cut off or the last is missing"} {
		names, contents := volumeFiles(whole, without)
		path := filepath.Join(filepath.Dir(writeFiles(t, names, contents...)), "codes.7z.001")
		_, err := readCodes(t, path)
		loadkit.Contains(t, err, says)
	}
	names, contents := volumeFiles(whole)
	contents[2] = contents[2][:100]
	_, err := readCodes(t, writeFiles(t, names, contents...))
	loadkit.Contains(t, err, "one is cut off")
}

// Only the members that the declaration means are written to the disk, with what belongs to them.
func TestOnlyWhatIsNeededIsUnpacked(t *testing.T) {
	t.Parallel()
	content := map[string]string{}
	for _, name := range []string{"d/1/PARCELLE.SHP", "d/1/PARCELLE.DBF", "d/1/PARCELLE.PRJ", "d/1/COMMUNE.SHP", "d/1/COMMUNE.DBF", "d/2/PARCELLE.PDF", "d/LISEZ.TXT"} {
		content[name] = name
	}
	fits := func(name string) bool { return strings.HasSuffix(name, "/PARCELLE.SHP") }
	for name, archive := range map[string]string{"x.7z": loadkit.SevenZip(t, content), "x.zip": loadkit.Archive(t, content)} {
		dir := t.TempDir()
		paths, err := format.Unpack(writeFiles(t, []string{name}, archive), dir, source.Read{Format: source.Shapefile}, fits)
		if err != nil || len(paths) != 1 || paths[0] != filepath.Join(dir, "d/1/PARCELLE.SHP") {
			t.Errorf("%s: %q, %v", name, paths, err)
		}
		if got, want := listFiles(t, dir), []string{"d/1/PARCELLE.DBF", "d/1/PARCELLE.PRJ", "d/1/PARCELLE.SHP"}; !slices.Equal(got, want) {
			t.Errorf("%s: written %q; expected %q", name, got, want)
		}
		for _, file := range listFiles(t, dir) {
			if text, err := os.ReadFile(filepath.Join(dir, file)); err != nil || string(text) != file {
				t.Errorf("%s: %s holds %q, %v", name, file, text, err)
			}
		}
	}
}

// listFiles lists the files below a folder, whatever the bytes of their names.
func listFiles(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	})
	testkit.NoError(t, err)
	return names
}

// No 7z archive makes its reader panic or read on for ever.
func FuzzSevenZip(f *testing.F) {
	whole, err := os.ReadFile("testdata/lzma2.7z")
	testkit.NoError(f, err)
	f.Add(whole)
	f.Add(bytes.Clone(whole[:40]))
	f.Fuzz(func(t *testing.T, in []byte) { loadkit.FuzzFile(t, in, codes) })
}
