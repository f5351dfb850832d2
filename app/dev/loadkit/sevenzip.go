package loadkit

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"maps"
	"slices"
	"testing"
	"unicode/utf16"

	"github.com/ulikunitz/xz/lzma"

	"arpent/app/dev/testkit"
)

// SevenZip is a 7z archive of members, in the order of their names and compressed one after the other.
func SevenZip(t testing.TB, members map[string]string) string {
	t.Helper()
	var files []SevenZipFile
	var all string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		content := members[name]
		files = append(files, SevenZipFile{Name: name, Bytes: uint64(len(content)),
			CRC: crc32.ChecksumIEEE([]byte(content))})
		all += content
	}
	return SevenZipOf(LZMA2(t, all), files...)
}

// LZMA2 is a compressed content.
func LZMA2(t testing.TB, content string) string {
	t.Helper()
	var out bytes.Buffer
	w, err := lzma.NewWriter2(&out)
	if err == nil {
		_, err = w.Write([]byte(content))
	}
	if err == nil {
		err = w.Close()
	}
	testkit.NoError(t, err)
	return out.String()
}

// SevenZipFile is what the list of members of an archive says of one.
type SevenZipFile struct {
	Name       string
	Bytes      uint64
	CRC        uint32
	Attributes uint32 // those of Windows; those of Unix in the upper half, with 0x8000
}

// SevenZipOf is a 7z archive of a content that is compressed as LZMA2, its members one after the other,
// and a list of members that need not be true. No library writes this format.
func SevenZipOf(content string, files ...SevenZipFile) string {
	lzma2 := []byte{1, 0x21, 0x21, 1, 22} // with 8 MiB of dictionary
	var total uint64
	var sizes, sums, names, attributes []byte
	for i, f := range files {
		total += f.Bytes
		if i < len(files)-1 { // that of the last is what is left
			sizes = append(sizes, encodeNumber(f.Bytes)...)
		}
		sums = binary.LittleEndian.AppendUint32(sums, f.CRC)
		for _, unit := range append(utf16.Encode([]rune(f.Name)), 0) {
			names = binary.LittleEndian.AppendUint16(names, unit)
		}
		attributes = binary.LittleEndian.AppendUint32(attributes, f.Attributes)
	}
	count := encodeNumber(uint64(len(files)))
	// The numbers are the names of properties: 6 where the content is, 7 how it is compressed, 8 how it is
	// divided, 5 what the members are called; 0 ends each.
	list := slices.Concat(
		[]byte{1, 4, 6, 0, 1, 9}, encodeNumber(uint64(len(content))), []byte{0},
		[]byte{7, 0x0b, 1, 0}, lzma2, []byte{0x0c}, encodeNumber(total), []byte{0},
		[]byte{8, 0x0d}, count, []byte{9}, sizes, []byte{0x0a, 1}, sums, []byte{0, 0},
		[]byte{5}, count,
		[]byte{0x11}, encodeNumber(uint64(len(names)+1)), []byte{0}, names,
		[]byte{0x15}, encodeNumber(uint64(len(attributes)+2)), []byte{1, 0}, attributes, []byte{0, 0})
	start := binary.LittleEndian.AppendUint64(nil, uint64(len(content)))
	start = binary.LittleEndian.AppendUint64(start, uint64(len(list)))
	start = binary.LittleEndian.AppendUint32(start, crc32.ChecksumIEEE(list))
	head := binary.LittleEndian.AppendUint32([]byte("7z\xbc\xaf\x27\x1c\x00\x04"), crc32.ChecksumIEEE(start))
	return string(slices.Concat(head, start, []byte(content), list))
}

// encodeNumber is a number in the longest of its forms.
func encodeNumber(n uint64) []byte { return binary.LittleEndian.AppendUint64([]byte{0xff}, n) }

// Volumes cuts an archive into parts of so many bytes, the last of which may be shorter.
func Volumes(archive string, size int) []string {
	var out []string
	for part := range slices.Chunk([]byte(archive), size) {
		out = append(out, string(part))
	}
	return out
}
