// Package clients holds the client libraries of the API as the files that npm and pip install. They are in
// no registry: the service itself serves them.
package clients

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
)

//go:embed typescript/package.json typescript/README.md typescript/dist
//go:embed python/README.md python/src/arpent/*.py python/src/arpent/py.typed
var files embed.FS

// version is that of both libraries; a test holds their own files against it.
const version = "1.0.0"

// Archive is a client library in one file, the same in each process of one version of the service.
type Archive struct {
	Name  string // of the file; that of a wheel says what it fits
	Bytes func() []byte
}

// The libraries.
var (
	TypeScript = Archive{"arpent-" + version + ".tgz", sync.OnceValue(buildTarball)}
	Python     = Archive{"arpent-" + version + "-py3-none-any.whl", sync.OnceValue(buildWheel)}
)

// All are all libraries.
func All() []Archive { return []Archive{TypeScript, Python} }

// must stands for errors that cannot be: the files are embedded, and a buffer takes everything.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// walkFiles calls visit with the files of a folder, by their names below it, in their order.
func walkFiles(folder string, visit func(name string, body []byte)) {
	sub := must(fs.Sub(files, folder))
	err := fs.WalkDir(sub, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			visit(name, must(fs.ReadFile(sub, name)))
		}
		return err
	})
	must(0, err)
}

// buildTarball is a package as npm packs it: everything is in the folder package.
func buildTarball() []byte {
	var out bytes.Buffer
	compressed := gzip.NewWriter(&out)
	archive := tar.NewWriter(compressed)
	walkFiles("typescript", func(name string, body []byte) {
		must(0, archive.WriteHeader(&tar.Header{Name: "package/" + name, Mode: 0o644, Size: int64(len(body))}))
		must(archive.Write(body))
	})
	must(0, archive.Close())
	must(0, compressed.Close())
	return out.Bytes()
}

// buildWheel is a package in the binary distribution format of Python,
// which pip unpacks without building anything.
func buildWheel() []byte {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	record, info := "", "arpent-"+version+".dist-info/"
	add := func(name string, body []byte) {
		must(must(archive.Create(name)).Write(body))
		sum := sha256.Sum256(body)
		record += fmt.Sprintf("%s,sha256=%s,%d\n", name, base64.RawURLEncoding.EncodeToString(sum[:]), len(body))
	}
	walkFiles("python/src", add)
	readme := must(files.ReadFile("python/README.md"))
	add(info+"METADATA", []byte("Metadata-Version: 2.1\nName: arpent\nVersion: "+version+
		"\nRequires-Python: >=3.10\nDescription-Content-Type: text/markdown\n\n"+string(readme)))
	add(info+"WHEEL", []byte("Wheel-Version: 1.0\nGenerator: arpent\nRoot-Is-Purelib: true\nTag: py3-none-any\n"))
	record += info + "RECORD,,\n"
	must(io.Copy(must(archive.Create(info+"RECORD")), strings.NewReader(record)))
	must(0, archive.Close())
	return out.Bytes()
}
