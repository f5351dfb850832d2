package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/sys/unix"
)

// File is a snapshot that is mapped into memory, safe for use by many at once. The mapping lasts as long as
// a caller holds the File: sections, and what View and Text make of them, do not hold it. A caller that reads
// a section therefore keeps the File reachable until the end, with runtime.KeepAlive where nothing else does.
// When the last one lets go of it, the garbage collector undoes the mapping.
type File struct {
	data     []byte
	built    time.Time
	sections map[string][]byte
}

// Open checks a file and maps it. The error is ErrInvalid, with what is wrong, for one that must not be
// served, and os.ErrNotExist where there is none.
func Open(path string, want Format) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	sections, err := readSections(f, uint64(st.Size()), want)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(st.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", path, err)
	}
	out := &File{data: data, built: st.ModTime(), sections: make(map[string][]byte, len(sections))}
	for _, s := range sections {
		out.sections[s.name] = data[s.offset : s.offset+s.size : s.offset+s.size]
	}
	runtime.AddCleanup(out, func(data []byte) { _ = unix.Munmap(data) }, data)
	return out, nil
}

// Section gives the bytes of a section.
func (f *File) Section(name string) ([]byte, error) {
	b, ok := f.sections[name]
	if !ok {
		return nil, fmt.Errorf("%w: it has no section %s", ErrInvalid, name)
	}
	return b, nil
}

// Source names the state of the database the file was built from.
func (f *File) Source() string { return string(f.sections[sourceSection]) }

// Size is the length of the file.
func (f *File) Size() int64 { return int64(len(f.data)) }

func invalidError(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrInvalid}, args...)...)
}

// readSections reads the file through once, not in a mapping: a mapping of a file that is cut stops the
// process, and all of the file would count as memory of the process.
func readSections(f io.ReaderAt, size uint64, want Format) ([]section, error) {
	head := make([]byte, headerSize)
	if err := readAt(f, head, 0, "header"); err != nil {
		return nil, err
	}
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(head[at:]) }
	u64 := func(at int) uint64 { return binary.LittleEndian.Uint64(head[at:]) }
	tableOffset, length, count := u64(40), u64(48), u64(56)
	switch kind := string(bytes.TrimRight(head[24:40], "\x00")); {
	case string(head[:16]) != magic:
		return nil, invalidError("it does not begin as one")
	case u64(72) != xxhash.Sum64(head[:72]):
		return nil, invalidError("the header has been changed")
	case u32(16) != layoutVersion || kind != want.Kind || u32(20) != want.Version:
		return nil, invalidError("it is %s version %d in layout %d; %s version %d in layout %d is expected", kind,
			u32(20), u32(16), want.Kind,
			want.Version, layoutVersion)
	case length != size:
		return nil, invalidError("it has %d bytes, not %d", size, length)
	case count > maxSections || tableOffset > length || length-tableOffset != count*entrySize:
		return nil, invalidError("it has %d sections and a table at %d", count, tableOffset)
	}
	table := make([]byte, count*entrySize)
	if err := readAt(f, table, tableOffset, "section table"); err != nil {
		return nil, err
	}
	if u64(64) != xxhash.Sum64(table) {
		return nil, invalidError("the section table has been changed")
	}
	return checkSections(f, table, tableOffset)
}

// checkSections checks that the sections fill the file from the header to the table, each as it was written.
func checkSections(f io.ReaderAt, table []byte, end uint64) (sections []section, err error) {
	at := uint64(headerSize)
	buffer := make([]byte, 1<<18)
	for ; len(table) > 0; table = table[entrySize:] {
		s := section{name: string(bytes.TrimRight(table[:nameSize], "\x00")),
			offset: binary.LittleEndian.Uint64(table[24:]),
			size:   binary.LittleEndian.Uint64(table[32:]), hash: binary.LittleEndian.Uint64(table[40:])}
		if s.offset != at || s.size > end-at || Padded(s.size) > end-at {
			return nil, invalidError("section %s is at %d with %d bytes", s.name, s.offset, s.size)
		}
		hash := xxhash.New()
		switch n, err := io.CopyBuffer(hash, io.NewSectionReader(f, int64(at), int64(Padded(s.size))), buffer); {
		case err != nil:
			return nil, fmt.Errorf("read section %s: %w", s.name, err)
		case uint64(n) != Padded(s.size):
			return nil, invalidError("it ends in section %s", s.name)
		case hash.Sum64() != s.hash:
			return nil, invalidError("section %s has been changed", s.name)
		}
		at += Padded(s.size)
		sections = append(sections, s)
	}
	if at != end {
		return nil, invalidError("the section table is at %d, not %d", end, at)
	}
	return sections, nil
}

func readAt(f io.ReaderAt, b []byte, at uint64, what string) error {
	_, err := f.ReadAt(b, int64(at))
	if errors.Is(err, io.EOF) {
		return invalidError("it ends in the %s", what)
	}
	if err != nil {
		return fmt.Errorf("read the %s: %w", what, err)
	}
	return nil
}
