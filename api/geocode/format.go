package geocode

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"unsafe"

	"github.com/cespare/xxhash/v2"
)

// The file of an index: a header, the sections one after the other, each at a multiple of 8, and a table of where they
// are. Numbers are little-endian, so that a section is used as it lies in memory.
const (
	magic      = "ARPENTG1"
	version    = 2 // of the layout and of how words are made: a file of another version is built anew
	headerSize = 64
)

type section uint8

const (
	secStamp section = iota // which loads it was built from
	secText                 // display texts
	secTermText
	secTermEnd
	secTermWeight
	secTermOrder
	secTermSignature
	secTermBucket
	secTermPosting // where the names with a term begin, in secPosting
	secPosting
	secNameText    // offset of each name's display text
	secNameTerm    // where the terms of a name begin, in secNameTerms
	secNameTerms   // with tellingTerm where the term is such
	secNameStreet  // where the streets with a name begin, in secNameStreets
	secNameStreets // those of the most important communes first
	secStreet
	secNumber
	secPlace
	secPlacePostcode
	secAliasText
	secAliasEnd
	secAliasOrder
	secAliasSignature
	secAliasBucket
	secAliasPlace // where the places with an alias begin, in secAliasPlaces
	secAliasPlaces
	secPostcode
	secPostcodePlace
	secPostcodePlaces
	secLast
)

// place is an area with a name, as it lies in the file.
type place struct {
	Code        [8]byte
	Name        span
	Postcodes   span   // in secPlacePostcode
	Streets     span   // in secStreet
	Parent      uint32 // the commune it belongs to; itself for a commune
	Departement uint32 // index of a place
	Population  uint32
	Importance  float32 // 0…1, from the population
	Lat, Lon    int32   // millionths of a degree; noPosition when not known
	Kind        placeKind
	_           [3]byte
}

type span struct{ From, To uint32 }

func (s span) length() int { return int(s.To - s.From) }

type placeKind uint8

const (
	commune placeKind = iota
	arrondissement
	former
	departement
)

// street is a street or locality, as it lies in the file.
type street struct {
	Name     uint32
	Place    uint32 // commune, or the arrondissement or former commune it lies in
	Postcode uint32 // 0: not known
	Lat, Lon int32
	Numbers  uint32 // where they begin, in secNumber
	Count    uint32 // of numbers, times 2; odd for a locality
}

const noPosition = -1 << 31

// writer writes the sections of a file.
type writer struct {
	file   *os.File
	out    *bufio.Writer
	hash   *xxhash.Digest
	at     uint64
	placed [secLast]struct{ From, Length uint64 }
}

func newWriter(f *os.File) (*writer, error) {
	w := &writer{file: f, hash: xxhash.New(), at: headerSize}
	w.out = bufio.NewWriterSize(io.MultiWriter(f, w.hash), 1<<20)
	_, err := f.Write(make([]byte, headerSize))
	return w, err
}

// begin starts a section; what is written until end is it.
func (w *writer) begin(s section) error {
	err := w.pad()
	w.placed[s].From = w.at
	return err
}

func (w *writer) pad() error {
	_, err := w.Write(make([]byte, (8-w.at%8)%8))
	return err
}

func (w *writer) Write(b []byte) (int, error) {
	n, err := w.out.Write(b)
	w.at += uint64(n)
	return n, err
}

func (w *writer) end(s section) { w.placed[s].Length = w.at - w.placed[s].From }

// put writes a whole section.
func put[T any](w *writer, s section, values []T) error {
	if err := w.begin(s); err != nil {
		return err
	}
	if len(values) > 0 {
		size := int(unsafe.Sizeof(values[0]))
		if _, err := w.Write(unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), len(values)*size)); err != nil {
			return err
		}
	}
	w.end(s)
	return nil
}

// close writes the table of sections and then the header: a file without header is none.
func (w *writer) close() error {
	if err := w.pad(); err != nil {
		return err
	}
	table := make([]byte, 0, int(secLast)*16)
	for _, p := range w.placed {
		table = binary.LittleEndian.AppendUint64(table, p.From)
		table = binary.LittleEndian.AppendUint64(table, p.Length)
	}
	at := w.at
	if _, err := w.Write(table); err != nil {
		return err
	}
	if err := w.out.Flush(); err != nil {
		return err
	}
	header := []byte(magic)
	header = binary.LittleEndian.AppendUint64(header, version)
	header = binary.LittleEndian.AppendUint64(header, at)
	header = binary.LittleEndian.AppendUint64(header, w.at)
	header = binary.LittleEndian.AppendUint64(header, w.hash.Sum64())
	header = binary.LittleEndian.AppendUint64(header, xxhash.Sum64(header))
	if _, err := w.file.WriteAt(header, 0); err != nil {
		return err
	}
	return w.file.Sync()
}

var errBroken = errors.New("the index file is damaged or of another version")

// sectionsOf finds the sections of a file, whole and undamaged.
func sectionsOf(data []byte) (out [secLast][]byte, err error) {
	if len(data) < headerSize || string(data[:8]) != magic {
		return out, errBroken
	}
	at := func(i int) uint64 { return binary.LittleEndian.Uint64(data[i:]) }
	table, length := at(16), at(24)
	switch {
	case at(8) != version, at(40) != xxhash.Sum64(data[:40]), length != uint64(len(data)),
		table+uint64(secLast)*16 != length, at(32) != xxhash.Sum64(data[headerSize:]):
		return out, errBroken
	}
	for i := range out {
		from, size := at(int(table)+16*i), at(int(table)+16*i+8)
		if from > table || size > table-from {
			return out, fmt.Errorf("section %d: %w", i, errBroken)
		}
		out[i] = data[from : from+size]
	}
	return out, nil
}

// view is a section as a list of values. Sections begin at multiples of 8.
func view[T any](b []byte) []T {
	var one T
	size := int(unsafe.Sizeof(one))
	if len(b) < size {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/size)
}

func text(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	return unsafe.String(&b[0], len(b))
}
