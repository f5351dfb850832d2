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
	"strings"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/sys/unix"
)

// The file: a header, the bodies, and a table of where they are. Numbers are little-endian.
const (
	bookMagic  = "ARPENTS1"
	version    = 3 // of the file and of what is rendered: a file of another version is made anew
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
	together(b.contents.Phrases)
	return b, nil
}

// together moves texts to where they lie side by side: an answer needs a hundred of them.
func together(texts []string) {
	all := strings.Join(texts, "")
	for i, text := range texts {
		texts[i], all = all[:len(text)], all[len(text):]
	}
}

// Of finds the statistics of a territory; false: it is not in the book. A nil book holds none.
func (b *Book) Of(level Level, code string) (Body, bool) {
	if b != nil {
		if at, ok := b.bodies[level][code]; ok {
			return Body{book: b, folded: b.data[at.from : at.from+uint64(at.folded)], length: int(at.length), hash: at.hash}, true
		}
	}
	return Body{}, false
}

// Body is the statistics of one territory, a JSON object. The zero Body is empty.
type Body struct {
	book   *Book // holds the phrases, and the mapping that folded is in
	folded []byte
	length int
	hash   uint64
}

// NewBody makes a Body of JSON that is in no book.
func NewBody(text []byte) Body {
	return Body{folded: append(binary.AppendUvarint(nil, uint64(len(text))), text...), length: len(text), hash: xxhash.Sum64(text)}
}

// Len is the number of bytes that Append adds.
func (b Body) Len() int { return b.length }

// Hash is a hash of what Append adds.
func (b Body) Hash() uint64 { return b.hash }

// Append adds the object to dst.
func (b Body) Append(dst []byte) []byte {
	if b.folded == nil {
		return dst
	}
	var phrases []string
	if b.book != nil {
		phrases = b.book.contents.Phrases
	}
	dst = unfold(slices.Grow(dst, b.length), b.folded, phrases)
	runtime.KeepAlive(b.book)
	return dst
}

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
		tally := newTally(d.catalogue.blocks[level])
		for _, t := range d.territories(level) {
			if err := ctx.Err(); err != nil {
				return c, at, err
			}
			if err := page.render(d, t, tally); err != nil {
				return c, at, err
			}
			rendered := page.Bytes()
			folded := phrases.fold(rendered)
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
