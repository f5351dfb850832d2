package format_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"arpent/api/ingest/format"
)

// tarOf is a tar archive of one entry, in which name is not checked.
func tarOf(name string, kind byte) []byte {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	_ = w.WriteHeader(&tar.Header{Name: name, Typeflag: kind, Linkname: "/etc/passwd", Size: map[bool]int64{true: 5}[kind == tar.TypeReg], Mode: 0o600})
	if kind == tar.TypeReg {
		_, _ = io.WriteString(w, "id\n1\n")
	}
	_ = w.Close()
	return out.Bytes()
}

func zipOf(names ...string) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range names {
		if content, err := w.Create(name); err == nil {
			_, _ = io.WriteString(content, "id\n1\n")
		}
	}
	_ = w.Close()
	return out.Bytes()
}

// No archive makes unpacking it panic, write outside of its folder, or leave links there; and what is unpacked is no more
// than deflate can hold in so many bytes. With pack, the input is compressed with gzip first: so the fuzzer changes what
// is in a tar archive and not its checksum alone.
func FuzzUnpack(f *testing.F) {
	for _, name := range []string{"a.csv", "b/c.csv", "../up.csv", "/abs.csv", "a.csv/..", "b\\..\\c.csv", "__MACOSX/a.csv", strings.Repeat("d/", 90) + "a.csv"} {
		f.Add(zipOf(name, "a.csv"), false)
		f.Add(tarOf(name, tar.TypeReg), true)
		f.Add(tarOf(name, tar.TypeSymlink), true)
	}
	f.Add(zipOf("a.csv", "a.csv", "a.csv/b.csv"), false)
	f.Add(tarOf("a.csv", tar.TypeGNUSparse), true)
	f.Add([]byte("id\n1\n"), true)
	f.Add([]byte("\x1f\x8b"), false)
	f.Add([]byte("BZh9"), false)
	f.Fuzz(func(t *testing.T, in []byte, pack bool) {
		if pack {
			var out bytes.Buffer
			w := gzip.NewWriter(&out)
			_, _ = w.Write(in)
			_ = w.Close()
			in = out.Bytes()
		}
		outer := t.TempDir()
		path, dir := filepath.Join(outer, "f.gz"), filepath.Join(outer, "in")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, in, 0o600); err != nil {
			t.Fatal(err)
		}
		paths, err := format.Unpack(path, dir, codes, func(string) bool { return true })
		for _, p := range paths {
			if st, statErr := os.Lstat(p); statErr != nil || !st.Mode().IsRegular() {
				t.Errorf("%s: %v, and unpacking said %v", p, statErr, err)
			}
		}
		entries, readErr := os.ReadDir(outer)
		if readErr != nil || len(entries) != 2 {
			t.Errorf("outside of the folder: %v %v", entries, readErr)
		}
		const mostRatio = 1100 // of deflate; what bzip2 holds is bounded by the limit of the unpacker alone
		var size int64
		for _, name := range written(t, dir) {
			st, err := os.Lstat(filepath.Join(dir, name))
			if err != nil || !st.Mode().IsRegular() {
				t.Fatalf("%s is no file (%v)", name, err)
			}
			size += st.Size()
		}
		if !bytes.HasPrefix(in, []byte("BZh")) && size > int64(len(in))*mostRatio {
			t.Errorf("%d bytes of %d", size, len(in))
		}
	})
}
