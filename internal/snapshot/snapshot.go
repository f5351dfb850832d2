// Package snapshot keeps data in files that are read in place: written once from the
// database, mapped into memory, and replaced whole. What is read of a file lies in the cache
// of the system, not in the heap of the process.
//
// It promises that a reader gets a whole file, old or new, at any moment and after any failure: a file is
// written next to the one in service, synced and renamed, and one that is cut, changed or of another version
// is refused when it is opened. A file is mapped only after it was read through and every checksum was right,
// so that a file that was cut beforehand is an error and never a bus error. Files in service are never
// written to; truncating one by hand while it is mapped stops the process.
//
// Checksums show damage, not intent: they are no signature, and a user who can write to the folder decides
// what is served. Of a file whose checksums are right and whose content is not, made by a program with
// an error or with bad intent, this much holds: nothing outside it is read, neither opening it nor a
// look-up ends the process or goes round in circles, and the memory that both take is bounded. What is
// answered may be wrong, and take long. To that end
//   - a Store takes a file that its Read rejects, or panics on, for an invalid one, and has it built again;
//   - Read checks the parts that are small, and what would make a look-up take memory without a limit;
//   - look-ups reach what is large through slices with bounds, never through addresses: an offset that is wrong panics, and the
//     request that met it is answered from the database or with 500, and logged.
//
// # Format
//
// All numbers are unsigned and little-endian, so that sections can be used as they lie in memory. The file is
// the header, the sections one after the other, and the section table, with nothing between them.
//
//	Header, 80 bytes
//	Offset  Size  Content
//	0       16    "Arpent snapshot" and a zero byte
//	16      4     version of this layout, 1
//	20      4     version of the content
//	24      16    kind of content, padded with zero bytes
//	40      8     offset of the section table
//	48      8     length of the file
//	56      4     number of sections
//	60      4     zero
//	64      8     xxHash64 of the section table
//	72      8     xxHash64 of bytes 0 to 71
//
//	Entry of the section table, 48 bytes, in the order of the sections
//	Offset  Size  Content
//	0       24    name, padded with zero bytes
//	24      8     offset of the section, a multiple of 8
//	32      8     length of the section
//	40      8     xxHash64 of the section and of the zero bytes that pad it to a multiple of 8
//
// The first section is named "source": the text that names the state of the database the file was built from.
package snapshot

import (
	"encoding/binary"
	"errors"
	"unsafe"

	"github.com/cespare/xxhash/v2"
)

const (
	magic         = "Arpent snapshot\x00"
	layoutVersion = 1
	headerSize    = 80
	entrySize     = 48
	nameSize      = 24
	kindSize      = 16
	alignment     = 8
	sourceSection = "source"
	// maxSections bounds what a damaged header can make a reader allocate.
	maxSections = 1 << 10
)

// ErrInvalid is returned for a file that is no snapshot, is cut or changed, or is of another kind or version.
var ErrInvalid = errors.New("not a valid snapshot")

// Format names what a file holds. Raise the version whenever a file of before must not be served any more.
type Format struct {
	Kind    string // at most 16 bytes
	Version uint32
}

type section struct {
	name         string
	offset, size uint64
	hash         uint64
}

// Padded is a length that is filled up until the next value of any kind may follow.
func Padded(n uint64) uint64 { return (n + alignment - 1) &^ (alignment - 1) }

func (s section) appendEntry(b []byte) []byte {
	b = appendName(b, s.name, nameSize)
	b = binary.LittleEndian.AppendUint64(b, s.offset)
	b = binary.LittleEndian.AppendUint64(b, s.size)
	return binary.LittleEndian.AppendUint64(b, s.hash)
}

func appendName(b []byte, name string, size int) []byte {
	b = append(b, name...)
	return append(b, make([]byte, size-len(name))...)
}

// encodeHeader is the beginning of a file of this format.
func encodeHeader(f Format, table []byte, tableOffset uint64) []byte {
	b := append([]byte(nil), magic...)
	b = binary.LittleEndian.AppendUint32(b, layoutVersion)
	b = binary.LittleEndian.AppendUint32(b, f.Version)
	b = appendName(b, f.Kind, kindSize)
	b = binary.LittleEndian.AppendUint64(b, tableOffset)
	b = binary.LittleEndian.AppendUint64(b, tableOffset+uint64(len(table)))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(table)/entrySize)) // the number, and four zero bytes
	b = binary.LittleEndian.AppendUint64(b, xxhash.Sum64(table))
	return binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b))
}

// View is a section as a list of values, which must be of a fixed size and hold no pointers. It is in the
// mapping: it is good as long as the File is held.
func View[T any](b []byte) []T {
	var one T
	size := int(unsafe.Sizeof(one))
	if len(b) < size {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/size)
}

// Bytes is a list as it lies in memory, from which View makes the list again. Values
// must be of a fixed size and hold no pointers.
func Bytes[T any](values []T) []byte {
	var one T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(one)))
}

// Text is bytes as a text, without a copy. It is good as long as the File is held.
func Text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
