// Package snapshotkit makes damaged files of package snapshot for fuzz tests, and holds them
// to what reading one may cost. It is apart from testkit, which knows most packages: those
// that it tests would be compiled once more for it.
package snapshotkit

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"testing"

	"arpent/internal/snapshot"
)

// Sections are the sections of a file of package snapshot, by name, without the one that every file has.
type Sections struct {
	names    []string
	contents [][]byte
}

// Read takes a valid file apart.
func Read(t testing.TB, path string) (s Sections) {
	t.Helper()
	const entry = 48
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	number := func(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }
	for table := whole[number(whole[40:])+entry:]; len(table) > 0; table = table[entry:] {
		from := number(table[24:])
		s.names = append(s.names, string(bytes.TrimRight(table[:24], "\x00")))
		s.contents = append(s.contents, whole[from:from+number(table[32:])])
	}
	return s
}

// Edit is eight bytes: which section, what to do, where (2 bytes), and a number to do it with (4 bytes).
const editSize = 8

// WriteChanged writes the sections to a new file of the name in a folder of its own, changed as edits say,
// eight bytes each. Its checksums are right.
func (s Sections) WriteChanged(t testing.TB, name string, format snapshot.Format, edits []byte) (dir string) {
	t.Helper()
	changed := make([][]byte, len(s.contents))
	for i, content := range s.contents {
		changed[i] = bytes.Clone(content)
	}
	for ; len(edits) >= editSize; edits = edits[editSize:] {
		one := &changed[int(edits[0])%len(changed)]
		*one = mutateBytes(*one, edits[1:editSize])
	}
	dir = t.TempDir()
	err := snapshot.Write(filepath.Join(dir, name), format, "changed", func(w *snapshot.Writer) error {
		for i, content := range changed {
			if err := snapshot.Put(w, s.names[i], content); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func mutateBytes(b, edit []byte) []byte {
	at := int(binary.LittleEndian.Uint16(edit[1:])) % (len(b) + 1)
	value := edit[3:7]
	switch word := at &^ 3; edit[0] % 6 {
	case 0: // another byte
		copy(b[at:], value[:1])
	case 1: // another number
		copy(b[word:], value)
	case 2: // a number that is somewhat more or less
		if word+4 <= len(b) {
			binary.LittleEndian.PutUint32(b[word:], binary.LittleEndian.Uint32(b[word:])+uint32(int32(int8(value[0]))))
		}
	case 3: // the end is missing
		return b[:at]
	case 4: // the same byte many times
		b = append(b[:at:at], append(bytes.Repeat(value[:1], int(binary.LittleEndian.Uint16(value[1:]))),
			b[at:]...)...)
	default: // a run of the same byte in place of what was there
		for i := at; i < min(len(b), at+int(value[1])); i++ {
			b[i] = value[0]
		}
	}
	return b
}

// CheckAllocation calls f and fails when that allocates more bytes than limit, whether or not they are freed
// again.
func CheckAllocation(t testing.TB, what string, limit uint64, f func()) {
	t.Helper()
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	before := sample[0].Value.Uint64()
	f()
	if metrics.Read(sample); sample[0].Value.Uint64()-before > limit {
		t.Errorf("%s allocates %d MiB", what, (sample[0].Value.Uint64()-before)>>20)
	}
}

// Recovered calls f as what serves a request does: a panic that an offset out of
// bounds causes, or one with a text, ends f alone.
func Recovered(f func()) func() {
	return func() {
		defer func() {
			switch p := recover().(type) {
			case nil, runtime.Error, string:
			default:
				panic(p)
			}
		}()
		f()
	}
}
