package snapshot_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"arpent/app/dev/testkit"
	"arpent/internal/snapshot"
)

var format = snapshot.Format{Kind: "test", Version: 7}

type point struct{ X, Y int32 }

// writeSample writes two sections with values, one in pieces and one that is empty.
func writeSample(w *snapshot.Writer) error {
	if err := snapshot.Put(w, "points", []point{{1, 2}, {-3, 4}, {5, 6}}); err != nil {
		return err
	}
	if err := w.Begin("text"); err != nil {
		return err
	}
	for _, piece := range []string{"Bondy", ", ", "Lyon"} {
		if _, err := w.Write([]byte(piece)); err != nil {
			return err
		}
	}
	return snapshot.Put[uint32](w, "none", nil)
}

// writeSampleFile gives the path of a file with the sample, and its bytes.
func writeSampleFile(t *testing.T) (path string, content []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "file")
	testkit.NoError(t, snapshot.Write(path, format, "loads 1 to 3", writeSample))
	return path, testkit.Must(os.ReadFile(path))(t)
}

// expectInvalid expects that a file with this content is not opened.
func expectInvalid(t *testing.T, path string, content []byte, what, reason string) {
	t.Helper()
	testkit.NoError(t, os.WriteFile(path, content, 0o600))
	if _, err := snapshot.Open(path, format); !errors.Is(err, snapshot.ErrInvalid) || !strings.Contains(err.Error(), reason) {
		t.Errorf("%s: %v; want ErrInvalid with %q", what, err, reason)
	}
}

// What was written is read in place: sections, values and the source stamp.
func TestReadsWhatWasWritten(t *testing.T) {
	t.Parallel()
	path, content := writeSampleFile(t)
	f := testkit.Must(snapshot.Open(path, format))(t)
	points, err := f.Section("points")
	if err != nil || !slices.Equal(snapshot.View[point](points), []point{{1, 2}, {-3, 4}, {5, 6}}) {
		t.Errorf("points: %v, %v", snapshot.View[point](points), err)
	}
	text, err := f.Section("text")
	if err != nil || snapshot.Text(text) != "Bondy, Lyon" {
		t.Errorf("text: %q, %v", text, err)
	}
	none, err := f.Section("none")
	if err != nil || len(none) != 0 || snapshot.View[uint32](none) != nil || snapshot.Text(none) != "" {
		t.Errorf("none: %v, %v", none, err)
	}
	if _, err := f.Section("missing"); !errors.Is(err, snapshot.ErrInvalid) {
		t.Errorf("missing: %v", err)
	}
	if f.Source() != "loads 1 to 3" || f.Size() != int64(len(content)) {
		t.Errorf("source %q, %d bytes; want %d", f.Source(), f.Size(), len(content))
	}
	if _, err := snapshot.Open(path+".none", format); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// A file that was cut is an error wherever the cut is, and does not stop the process.
func TestRefusesCutFile(t *testing.T) {
	t.Parallel()
	path, content := writeSampleFile(t)
	tableOffset := binary.LittleEndian.Uint64(content[40:])
	boundaries := []uint64{0, 16, 24, 40, 80, tableOffset, uint64(len(content))}
	for at := tableOffset; at < uint64(len(content)); at += 48 {
		offset := binary.LittleEndian.Uint64(content[at+24:])
		boundaries = append(boundaries, at, offset, offset+binary.LittleEndian.Uint64(content[at+32:]))
	}
	for _, at := range boundaries {
		for _, n := range []int{int(at) - 1, int(at), int(at) + 1} {
			if n >= 0 && n < len(content) {
				expectInvalid(t, path, content[:n], "cut", "")
			}
		}
	}
	expectInvalid(t, path, content[:50], "cut in the header", "it ends in the header")
	expectInvalid(t, path, content[:len(content)-1], "cut at the end", "bytes, not")
	expectInvalid(t, path, append(slices.Clone(content), 0), "longer", "bytes, not")
	expectInvalid(t, path, make([]byte, 5000), "zeros", "does not begin as one")
}

// No file with a bit that is not as it was written is read, wherever the bit is; nor one
// whose parts are right and together are not.
func TestRefusesChangedFile(t *testing.T) {
	t.Parallel()
	path, content := writeSampleFile(t)
	for at := range content {
		changed := bytes.Clone(content)
		changed[at] ^= 1 << (at % 8)
		expectInvalid(t, path, changed, "changed", "")
	}
	_, other := writeSampleFile(t)
	testkit.NoError(t, snapshot.Write(path, format, "loads 4 to 9", writeSample))
	mixed := testkit.Must(os.ReadFile(path))(t)
	expectInvalid(t, path, slices.Concat(mixed[:80], other[80:]), "header of one and sections of another", "table has been changed")
}

// A file of another kind or version is refused: it is built again, not served.
func TestRefusesAnotherVersion(t *testing.T) {
	t.Parallel()
	path, _ := writeSampleFile(t)
	for _, want := range []snapshot.Format{{Kind: "test", Version: 8}, {Kind: "test", Version: 6}, {Kind: "other", Version: 7}} {
		if _, err := snapshot.Open(path, want); !errors.Is(err, snapshot.ErrInvalid) || !strings.Contains(err.Error(), "test version 7") {
			t.Errorf("%v: %v", want, err)
		}
	}
}

// A disk that is full is an error of the writer.
func TestWriteOnFullDisk(t *testing.T) {
	t.Parallel()
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("there is no /dev/full: %v", err)
	}
	defer f.Close()
	if err := snapshot.WriteLocked(f, format, "", writeSample); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("%v; want that no space is left", err)
	}
}

// Names that do not fit into the file are errors, not unreadable files.
func TestRefusesLongNames(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	long := strings.Repeat("x", 25)
	if err := snapshot.Write(path, format, "", func(w *snapshot.Writer) error { return w.Begin(long) }); err == nil {
		t.Error("a section with a long name was written")
	}
	if err := snapshot.Write(path, snapshot.Format{Kind: long}, "", writeSample); err == nil {
		t.Error("a long kind was written")
	}
}
