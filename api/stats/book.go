package stats

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/sys/unix"
)

// The file: a header, the bodies, and a table of where they are. Numbers are little-endian.
const (
	bookMagic  = "ARPENTS1"
	version    = 2 // of the file and of what is rendered: a file of another version is made anew
	headerSize = 48
)

var errBroken = errors.New("the file of statistics is damaged or of another version")

// Book is a file of rendered statistics, read in place. It is never modified, and safe for use by many at once.
type Book struct {
	data     []byte
	contents contents
	bodies   map[Level]map[string]body
}

// contents is what stands at the end of the file, as JSON.
type contents struct {
	Stamp    string                   `json:"stamp"`
	Phrases  []string                 `json:"phrases"`
	Bodies   map[Level][]bodyEntry    `json:"bodies"`
	Coverage map[Level][]KeyCoverage  `json:"coverage"`
	Sources  map[string]SourceSummary `json:"sources"`
}

type bodyEntry struct {
	Code   string `json:"c"`
	From   uint64 `json:"f"`
	Folded uint32 `json:"n"` // length in the file
	Length uint32 `json:"l"` // length with the phrases in words
	Hash   uint64 `json:"h"` // of what it is in words
}

type body struct {
	from           uint64
	folded, length uint32
	hash           uint64
}

// OpenBook maps a file into memory. A damaged file is an error; the mapping is undone when the Book is no longer in use.
func OpenBook(path string) (*Book, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if st.Size() < headerSize || st.Size() > 1<<40 {
		return nil, fmt.Errorf("open %s: %w", path, errBroken)
	}
	table, err := checkBook(f, st.Size())
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(st.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", path, err)
	}
	b, err := readBook(data, table)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), unix.Munmap(data))
	}
	runtime.AddCleanup(b, func(data []byte) { _ = unix.Munmap(data) }, data)
	return b, nil
}

// checkBook reads the file through once, and tells where its table is. Not in the mapping: all of it would be in memory.
func checkBook(f *os.File, size int64) (table uint64, err error) {
	header := make([]byte, headerSize)
	if _, err := f.ReadAt(header, 0); err != nil {
		return 0, err
	}
	at := func(i int) uint64 { return binary.LittleEndian.Uint64(header[i:]) }
	table = at(16)
	if string(header[:8]) != bookMagic || at(8) != version || at(24) != uint64(size) || table < headerSize || table > at(24) ||
		at(40) != xxhash.Sum64(header[:40]) {
		return 0, errBroken
	}
	hash := xxhash.New()
	if _, err := io.CopyBuffer(hash, io.NewSectionReader(f, headerSize, size-headerSize), make([]byte, 1<<18)); err != nil {
		return 0, err
	}
	if at(32) != hash.Sum64() {
		return 0, errBroken
	}
	return table, nil
}

func readBook(data []byte, table uint64) (*Book, error) {
	b := &Book{data: data, bodies: map[Level]map[string]body{}}
	if err := json.Unmarshal(data[table:], &b.contents); err != nil {
		return nil, errBroken
	}
	for level, entries := range b.contents.Bodies {
		of := make(map[string]body, len(entries))
		for _, e := range entries {
			if e.From > table || uint64(e.Folded) > table-e.From {
				return nil, errBroken
			}
			of[e.Code] = body{e.From, e.Folded, e.Length, e.Hash}
		}
		b.bodies[level] = of
	}
	b.contents.Bodies = nil
	return b, nil
}

// Append adds the statistics of a territory to dst, one JSON object.
func (b *Book) Append(dst []byte, level Level, code string) []byte {
	if b == nil {
		return append(dst, nothing[level]...)
	}
	at, ok := b.bodies[level][code]
	if !ok {
		return append(dst, nothing[level]...)
	}
	dst = unfold(slices.Grow(dst, int(at.length)), b.data[at.from:at.from+uint64(at.folded)], b.contents.Phrases)
	runtime.KeepAlive(b)
	return dst
}

// Look gives the length of what Append adds, and a hash of it.
func (b *Book) Look(level Level, code string) (length int, hash uint64) {
	if b != nil {
		if at, ok := b.bodies[level][code]; ok {
			return int(at.length), at.hash
		}
	}
	return len(nothing[level]), 0
}

var nothing = map[Level][]byte{Commune: Nothing(Commune), Departement: Nothing(Departement), Region: Nothing(Region)}

// Size is the length of the file.
func (b *Book) Size() int64 { return int64(len(b.data)) }

// Stamp tells which loads it was made from.
func (b *Book) Stamp() string { return b.contents.Stamp }

// Count is the number of territories of a level.
func (b *Book) Count(level Level) int { return len(b.bodies[level]) }

// Coverage tells for each key of a level how many territories have it.
func (b *Book) Coverage(level Level) []KeyCoverage { return b.contents.Coverage[level] }

// Sources tells of each source of figures how many communes have a value, by name of the source.
func (b *Book) Sources() map[string]SourceSummary { return b.contents.Sources }

// write renders everything into a file.
func (d *Data) write(ctx context.Context, f *os.File) error {
	if _, err := f.Write(make([]byte, headerSize)); err != nil {
		return err
	}
	hash := xxhash.New()
	out := bufio.NewWriterSize(io.MultiWriter(f, hash), 1<<20)
	c, at, err := d.writeBodies(ctx, out)
	if err != nil {
		return err
	}
	table, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if _, err := out.Write(table); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	header := []byte(bookMagic)
	for _, n := range []uint64{version, at, at + uint64(len(table)), hash.Sum64()} {
		header = binary.LittleEndian.AppendUint64(header, n)
	}
	header = binary.LittleEndian.AppendUint64(header, xxhash.Sum64(header))
	if _, err := f.WriteAt(header, 0); err != nil {
		return err
	}
	return f.Sync()
}

// writeBodies renders all territories, and tells where the last one ends.
func (d *Data) writeBodies(ctx context.Context, out io.Writer) (c contents, at uint64, err error) {
	c = contents{Stamp: d.Stamp, Bodies: map[Level][]bodyEntry{}, Coverage: map[Level][]KeyCoverage{}, Sources: d.summaries()}
	at = headerSize
	page, phrases := newPage(), newPhrasebook()
	for _, level := range []Level{Commune, Departement, Region} {
		tally := newTally(level)
		for _, t := range d.territories(level) {
			if err := ctx.Err(); err != nil {
				return c, at, err
			}
			if err := page.render(d, t, tally); err != nil {
				return c, at, err
			}
			rendered := page.Bytes()
			folded, err := phrases.fold(rendered)
			if err != nil {
				return c, at, fmt.Errorf("%s %s: %w", level, t.Code, err)
			}
			if _, err := out.Write(folded); err != nil {
				return c, at, err
			}
			c.Bodies[level] = append(c.Bodies[level], bodyEntry{t.Code, at, uint32(len(folded)), uint32(len(rendered)), xxhash.Sum64(rendered)})
			at += uint64(len(folded))
		}
		c.Coverage[level] = tally.result()
	}
	c.Phrases = phrases.phrases
	return c, at, nil
}
