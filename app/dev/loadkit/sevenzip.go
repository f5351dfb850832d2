package loadkit

import (
	"arpent/app/dev/sevenzip"
	"bytes"
	"hash/crc32"
	"maps"
	"slices"
	"testing"

	"github.com/ulikunitz/xz/lzma"
)

// SevenZip is a 7z archive of members, in the order of their names and compressed one after the other.
func SevenZip(t testing.TB, members map[string]string) string {
	t.Helper()
	var files []sevenzip.File
	var all string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		content := members[name]
		files = append(files, sevenzip.File{Name: name, Bytes: uint64(len(content)),
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
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// SevenZipOf is a 7z archive of a content that is compressed as LZMA2,
// and a list of members that need not be true.
func SevenZipOf(content string, files ...sevenzip.File) string {
	return string(sevenzip.Archive([]byte(content), sevenzip.LZMA2, files...))
}

// Volumes cuts an archive into parts of so many bytes, the last of which may be shorter.
func Volumes(archive string, size int) []string {
	var out []string
	for part := range slices.Chunk([]byte(archive), size) {
		out = append(out, string(part))
	}
	return out
}
