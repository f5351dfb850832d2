package ingest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
)

// compoundMagic begins the files that old office programs write: a small file system of sectors in one file.
var compoundMagic = []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")

// The parts of such a file.
const (
	compoundHeaderBytes = 512
	compoundEntryBytes  = 128
	headerTableSectors  = 109        // sectors of the table that the header names itself
	lastSector          = 0xFFFFFFFA // greater numbers are marks: end of a chain, free, and so on
)

var (
	errCompound    = errors.New("the file is damaged: its sectors lead nowhere")
	errCutCompound = errors.New("the file is cut off: sectors of it are missing")
)

// compound is such a file, opened.
type compound struct {
	f     *localFile
	bytes int64    // of a sector
	next  []uint32 // the sector that follows each sector
}

// compoundStream is one of the files inside, which can be read from any place in it.
type compoundStream struct {
	in      io.ReaderAt
	sectors []int64 // where they begin
	bytes   int64   // of a sector
	size    int64
}

func openCompound(f *localFile) (*compound, []byte, error) {
	head := make([]byte, compoundHeaderBytes)
	if _, err := f.ReadAt(head, 0); err != nil {
		return nil, nil, errors.New("the file is cut off: it has not even its header")
	}
	shift := binary.LittleEndian.Uint16(head[30:])
	if shift != 9 && shift != 12 {
		return nil, nil, errCompound
	}
	c := &compound{f: f, bytes: 1 << shift}
	table := words(head[76:])[:headerTableSectors]
	// The numbers of further sectors of the table are in a chain of sectors of their own.
	for at := binary.LittleEndian.Uint32(head[68:]); at < lastSector; {
		more, err := c.sector(at)
		if err != nil {
			return nil, nil, err
		}
		numbers := words(more)
		table, at = append(table, numbers[:len(numbers)-1]...), numbers[len(numbers)-1]
		if int64(len(table)) > headerTableSectors+f.size/c.bytes {
			return nil, nil, errCompound
		}
	}
	for _, at := range table[:min(len(table), int(binary.LittleEndian.Uint32(head[44:])))] {
		if at >= lastSector {
			continue
		}
		part, err := c.sector(at)
		if err != nil {
			return nil, nil, err
		}
		c.next = append(c.next, words(part)...)
	}
	return c, head, nil
}

func words(b []byte) []uint32 {
	out := make([]uint32, len(b)/4)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return out
}

func (c *compound) place(sector uint32) int64 { return (int64(sector) + 1) * c.bytes }

func (c *compound) sector(number uint32) ([]byte, error) {
	out := make([]byte, c.bytes)
	if _, err := c.f.ReadAt(out, c.place(number)); err != nil {
		return nil, errCutCompound
	}
	return out, nil
}

// chain lists the sectors that follow each other from the first, by a table.
func chain(first uint32, table []uint32) ([]uint32, error) {
	var out []uint32
	for at := first; at < lastSector; at = table[at] {
		if int64(at) >= int64(len(table)) || len(out) > len(table) {
			return nil, errCompound
		}
		out = append(out, at)
	}
	return out, nil
}

func (c *compound) stream(first uint32, size int64) (*compoundStream, error) {
	sectors, err := chain(first, c.next)
	if err != nil {
		return nil, err
	}
	s := &compoundStream{in: c.f, bytes: c.bytes, size: size}
	for _, at := range sectors {
		s.sectors = append(s.sectors, c.place(at))
	}
	return s, s.whole(c.f.size)
}

// whole complains about a stream that has less than it tells. Of its last sector only what is used has to be there.
func (s *compoundStream) whole(there int64) error {
	if s.size > s.bytes*int64(len(s.sectors)) {
		return errCompound
	}
	left := s.size
	for _, at := range s.sectors {
		if left > 0 && at+min(left, s.bytes) > there {
			return errCutCompound
		}
		left -= s.bytes
	}
	return nil
}

// ReadAt implements io.ReaderAt.
func (s *compoundStream) ReadAt(p []byte, from int64) (int, error) {
	read := 0
	for read < len(p) && from < s.size {
		within := from % s.bytes
		n := min(s.bytes-within, int64(len(p)-read), s.size-from)
		got, err := s.in.ReadAt(p[read:read+int(n)], s.sectors[from/s.bytes]+within)
		read, from = read+got, from+int64(got)
		if err != nil {
			return read, errCutCompound
		}
	}
	if read < len(p) {
		return read, io.EOF
	}
	return read, nil
}

// compoundEntry is a line of the directory.
type compoundEntry struct {
	name  string
	first uint32
	size  int64
}

// openEntry opens the first of the named files inside. Small ones share sectors, which are those of the directory's root.
func (c *compound) openEntry(head []byte, names ...string) (*compoundStream, string, error) {
	entries, err := c.directory(binary.LittleEndian.Uint32(head[48:]))
	if err != nil {
		return nil, "", err
	}
	for _, name := range names {
		i := slices.IndexFunc(entries, func(e compoundEntry) bool { return strings.EqualFold(e.name, name) })
		if i < 0 {
			continue
		}
		if entries[i].size >= int64(binary.LittleEndian.Uint32(head[56:])) {
			s, err := c.stream(entries[i].first, entries[i].size)
			return s, name, err
		}
		s, err := c.small(entries[0], entries[i], binary.LittleEndian.Uint32(head[60:]))
		return s, name, err
	}
	return nil, "", fmt.Errorf("%w: none of %q is in it", errNoMember, names)
}

func (c *compound) directory(first uint32) ([]compoundEntry, error) {
	sectors, err := chain(first, c.next)
	if err != nil {
		return nil, err
	}
	var out []compoundEntry
	for _, at := range sectors {
		lines, err := c.sector(at)
		if err != nil {
			return nil, err
		}
		for ; len(lines) >= compoundEntryBytes; lines = lines[compoundEntryBytes:] {
			out = append(out, compoundEntry{
				name:  utf16Text(lines[:max(2, min(64, int(binary.LittleEndian.Uint16(lines[64:]))))-2]),
				first: binary.LittleEndian.Uint32(lines[116:]), size: int64(binary.LittleEndian.Uint32(lines[120:])),
			})
		}
	}
	if len(out) == 0 {
		return nil, errCompound
	}
	return out, nil
}

// small opens a file that is in shared sectors.
func (c *compound) small(root, entry compoundEntry, table uint32) (*compoundStream, error) {
	const bytes = 64
	shared, err := c.stream(root.first, root.size)
	if err != nil {
		return nil, err
	}
	sectors, err := chain(table, c.next)
	if err != nil {
		return nil, err
	}
	var next []uint32
	for _, at := range sectors {
		part, err := c.sector(at)
		if err != nil {
			return nil, err
		}
		next = append(next, words(part)...)
	}
	if sectors, err = chain(entry.first, next); err != nil {
		return nil, err
	}
	s := &compoundStream{in: shared, bytes: bytes, size: entry.size}
	for _, at := range sectors {
		s.sectors = append(s.sectors, int64(at)*bytes)
	}
	return s, s.whole(shared.size)
}

func utf16Text(b []byte) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}
