package box_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"arpent/app/dev/box"
	"arpent/app/dev/testkit"
)

// maxBoxBytes limits data/: a clone of the repository carries it.
const maxBoxBytes = 20_000_000

// The page about the box names each file with its producer, licence, edition and what it was checked against,
// and all of them stay small: what is not described there could not be given on.
func TestBoxHoldsDeclaredFilesOnly(t *testing.T) {
	t.Parallel()
	folder := testkit.Box(t)
	page, err := os.ReadFile(filepath.Join(folder, "README.md"))
	testkit.NoError(t, err)
	var total int64
	err = filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		total += info.Size()
		path, err := filepath.Rel(folder, name)
		path = filepath.ToSlash(path)
		if path == "README.md" || strings.HasPrefix(path, "LICENCES/") {
			return err
		}
		if !strings.Contains(string(page), "| "+path+" |") {
			t.Errorf("%s is in data/ and not in its README.md", path)
		}
		return err
	})
	if err != nil || total > maxBoxBytes {
		t.Errorf("the box has %d bytes, at most %d are wanted: %v", total, maxBoxBytes, err)
	}
	for row := range strings.Lines(string(page)) {
		if cells := strings.Split(strings.TrimSpace(row), "|"); len(cells) > 1 && (len(cells) != 11 ||
			slices.ContainsFunc(cells[1:10], func(cell string) bool { return strings.TrimSpace(cell) == "" })) {
			t.Errorf("a part of the description is missing: %s", row)
		}
	}
}

// A thousand random values of the box are those of the producers'
// rows: a customer gets the producer's figure.
func TestBoxHasTheValuesOfItsFullFiles(t *testing.T) {
	t.Parallel()
	full := testkit.Must(box.FullFileOf([]string{testkit.FullData(t)}, box.Files()))(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	paths := slices.DeleteFunc(slices.Sorted(maps.Keys(full)), func(path string) bool {
		_, err := os.Stat(filepath.Join(testkit.Box(t), filepath.FromSlash(path)))
		if err != nil {
			t.Errorf("the box lacks %s: %v", path, err)
		}
		return err != nil
	})
	if len(paths) == 0 {
		t.Skip("the folder of full files holds none of the box's")
	}
	compared, files := 0, 0
	for _, path := range paths {
		made := testkit.Must(box.ReadFile(filepath.Join(testkit.Box(t), filepath.FromSlash(path))))(t)
		producers := testkit.Must(box.ReadFile(full[path]))(t)
		compare := comparerOf(t, path, made, producers)
		if compare == nil {
			t.Logf("%s is not compared: its full file is an old workbook, of which the build compares the total", path)
			continue
		}
		files++
		for range 1000/len(paths) + 2 {
			compare(t, random)
			compared++
		}
	}
	t.Logf("%d values of %d files", compared, files)
}

// comparerOf returns a function that compares one random value of a file of the box with the producer's; nil
// where the full file cannot be read.
func comparerOf(t *testing.T, path string, made, full []byte) func(*testing.T, *rand.Rand) {
	t.Helper()
	switch {
	case bytes.Equal(made, full):
		return func(*testing.T, *rand.Rand) {}
	case strings.HasSuffix(path, ".jsonl.gz"):
		ours, theirs := linesByCode(t, made), linesByCode(t, full)
		return func(t *testing.T, random *rand.Rand) { compareMember(t, path, ours, theirs, random) }
	case strings.Contains(path, "json"):
		ours, theirs := decodeJSON(t, made), decodeJSON(t, full)
		return func(t *testing.T, random *rand.Rand) { compareMember(t, path, ours, theirs, random) }
	case bytes.HasPrefix(full, []byte("PK")):
		return cellComparer(t, path, made, full)
	case bytes.HasPrefix(full, []byte{0xd0, 0xcf, 0x11, 0xe0}):
		return nil
	default:
		header, rows := readTable(t, made)
		theirHeader, theirRows := readTable(t, full)
		known := map[string]bool{}
		for _, row := range theirRows {
			known[rowKey(header, theirHeader, row)] = true
		}
		return func(t *testing.T, random *rand.Rand) {
			row := rows[random.IntN(len(rows))]
			if !known[rowKey(header, header, row)] {
				t.Errorf("%s: no row of the full file has %v", path, row)
			}
		}
	}
}

// cellComparer compares cells of a table with those of the first
// sheet of the workbook that it was written from.
func cellComparer(t *testing.T, path string, made, full []byte) func(*testing.T, *rand.Rand) {
	t.Helper()
	workbook, err := excelize.OpenReader(bytes.NewReader(full), excelize.Options{RawCellValue: true})
	testkit.NoError(t, err)
	t.Cleanup(func() { _ = workbook.Close() })
	_, rows := readTable(t, made)
	return func(t *testing.T, random *rand.Rand) {
		row, column := random.IntN(len(rows)), random.IntN(len(rows[0]))
		cell, err := excelize.CoordinatesToCellName(column+1, row+2) // below the header
		testkit.NoError(t, err)
		if want, err := workbook.GetCellValue(workbook.GetSheetName(0), cell); err != nil || rows[row][column] != want {
			t.Errorf("%s: %s is %q, in the workbook %q: %v", path, cell, rows[row][column], want, err)
		}
	}
}

// rowKey joins the cells of the columns that the box has.
func rowKey(columns, header, row []string) string {
	var out []string
	for _, column := range columns {
		cell := ""
		if at := slices.Index(header, column); at < len(row) {
			cell = row[at]
		}
		out = append(out, cell)
	}
	return strings.Join(out, "\x00")
}

func readTable(t *testing.T, content []byte) (header []string, rows [][]string) {
	t.Helper()
	header, rows, err := box.ReadTable(content)
	if err != nil || len(rows) == 0 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	return header, rows
}

func decodeJSON(t *testing.T, content []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(content))
	d.UseNumber()
	var out any
	testkit.NoError(t, d.Decode(&out))
	return out
}

// linesByCode returns the objects of a file of lines by the code of their
// commune; rows of sectors come with no code.
func linesByCode(t *testing.T, content []byte) any {
	t.Helper()
	out := map[string]any{}
	for line := range bytes.Lines(content) {
		commune, _ := decodeJSON(t, line).(map[string]any)
		if commune["sectorCode"] == nil {
			out[fmt.Sprint(commune["codeCommune"])] = commune
		}
	}
	return out
}

// compareMember goes down to a random value of a document and compares it
// with the one at the same place of another.
func compareMember(t *testing.T, path string, ours, theirs any, random *rand.Rand) {
	t.Helper()
	place := path
	for {
		switch value := ours.(type) {
		case map[string]any:
			if len(value) == 0 {
				return
			}
			names := slices.Sorted(maps.Keys(value))
			name := names[random.IntN(len(names))]
			other, _ := theirs.(map[string]any)
			ours, theirs, place = value[name], other[name], place+"/"+name
		case []any:
			other, _ := theirs.([]any)
			if len(value) != len(other) {
				t.Errorf("%s has %d items, the full file %d", place, len(value), len(other))
				return
			}
			if len(value) == 0 {
				return
			}
			at := random.IntN(len(value))
			ours, theirs, place = value[at], other[at], fmt.Sprintf("%s/%d", place, at)
		default:
			if ours != theirs {
				t.Errorf("%s is %v, in the full file %v", place, ours, theirs)
			}
			return
		}
	}
}
