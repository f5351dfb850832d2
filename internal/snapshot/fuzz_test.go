package snapshot_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/cespare/xxhash/v2"

	"arpent/app/dev/testkit"
	"arpent/internal/snapshot"
)

// A file that was changed is refused as one. With checksums that fit what it holds,
// it is refused or its sections are within it: nothing makes opening it panic, or ask
// for more memory than a file of that kind may.
func FuzzOpen(f *testing.F) {
	path := filepath.Join(f.TempDir(), "file")
	testkit.NoError(f, snapshot.Write(path, format, "loads 1 to 3", writeSample))
	whole, err := os.ReadFile(path)
	testkit.NoError(f, err)
	for _, seal := range []bool{false, true} {
		f.Add(whole, seal)
		for _, at := range []int{0, 17, 20, 24, 40, 48, 56, 60, 64, 72, 80, len(whole) - 8, len(whole) - 16, len(whole) - 24, len(whole) - 48} {
			changed := bytes.Clone(whole)
			changed[at] ^= 0xff
			f.Add(changed, seal)
			f.Add(whole[:at], seal)
		}
	}
	f.Fuzz(func(t *testing.T, content []byte, seal bool) {
		if seal {
			content = fixChecksums(bytes.Clone(content))
		}
		path := filepath.Join(t.TempDir(), "file")
		testkit.NoError(t, os.WriteFile(path, content, 0o600))
		file, err := snapshot.Open(path, format)
		if err != nil {
			if !errors.Is(err, snapshot.ErrInvalid) {
				t.Fatalf("%v is not ErrInvalid", err)
			}
			return
		}
		if !seal && !bytes.Equal(content, whole) {
			t.Errorf("%q is served", content)
		}
		for _, name := range []string{"source", "points", "text", "none"} {
			if b, err := file.Section(name); err == nil && !bytes.Contains(content, b) {
				t.Errorf("section %s is %q, which the file does not hold", name, b)
			}
		}
	})
}

// fixChecksums puts the checksums of the sections, of their table and of
// the header right, as far as there are such.
func fixChecksums(content []byte) []byte {
	const header, entry = 80, 48
	if len(content) < header {
		return content
	}
	size := uint64(len(content))
	if from := binary.LittleEndian.Uint64(content[40:]); from <= size {
		table := content[from:]
		for at := 0; at+entry <= len(table); at += entry {
			begin, length := binary.LittleEndian.Uint64(table[at+24:]), binary.LittleEndian.Uint64(table[at+32:])
			if end := begin + (length+7)&^7; begin <= end && end <= size {
				binary.LittleEndian.PutUint64(table[at+40:], xxhash.Sum64(content[begin:end]))
			}
		}
		binary.LittleEndian.PutUint64(content[64:], xxhash.Sum64(table))
	}
	binary.LittleEndian.PutUint64(content[72:], xxhash.Sum64(content[:72]))
	return content
}
