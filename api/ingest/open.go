package ingest

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Limits against files that are not what they say: one record, and all that one archive unpacks to.
const (
	maxRecordBytes  = 32 << 20
	maxUnpackBytes  = 64 << 30
	maxUnpackFiles  = 10_000
	readBufferBytes = 1 << 16
)

var (
	gzipMagic  = []byte{0x1f, 0x8b}
	bzip2Magic = []byte("BZh")
	zipMagic   = []byte("PK\x03\x04")
)

// counted tells how much of a file has been read.
type counted struct {
	io.Reader
	add func(int64)
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.add(int64(n))
	return n, err
}

// stream is the uncompressed content of a file.
type stream struct {
	io.Reader
	closers []io.Closer
}

func (s *stream) Close() error {
	var faults []error
	for _, c := range s.closers {
		faults = append(faults, c.Close())
	}
	return errors.Join(faults...)
}

// openStream opens a file and takes off its compression, recognised by its first bytes: names lie. Of a zip archive
// the only member that fits the expression is read.
func openStream(path, member string, add func(int64)) (*stream, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	buffered := bufio.NewReaderSize(counted{f, add}, readBufferBytes)
	start, err := buffered.Peek(4)
	if err != nil && err != io.EOF {
		f.Close()
		return nil, err
	}
	if bytes.HasPrefix(start, zipMagic) {
		f.Close()
		return openMember(path, member, add)
	}
	plain, err := decompress(buffered)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &stream{Reader: plain, closers: []io.Closer{f}}, nil
}

// decompress takes off gzip or bzip2.
func decompress(r *bufio.Reader) (io.Reader, error) {
	start, err := r.Peek(3)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(start, gzipMagic):
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, fmt.Errorf("read gzip: %w", err)
		}
		return bufio.NewReaderSize(gzipErrors{z}, readBufferBytes), nil
	case bytes.HasPrefix(start, bzip2Magic):
		return bufio.NewReaderSize(bzip2.NewReader(r), readBufferBytes), nil
	default:
		return r, nil
	}
}

// gzipErrors says in words what a cut or damaged file is.
type gzipErrors struct{ io.Reader }

func (g gzipErrors) Read(p []byte) (int, error) {
	n, err := g.Reader.Read(p)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("the gzip file is cut off: its end is missing")
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		err = fmt.Errorf("the gzip file is damaged: %w", err)
	}
	return n, err
}

func openMember(path, member string, add func(int64)) (*stream, error) {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return nil, fmt.Errorf("read zip: %w", err)
	}
	m, err := onlyMember(archive.File, member)
	if err != nil {
		archive.Close()
		return nil, err
	}
	content, err := m.Open()
	if err != nil {
		archive.Close()
		return nil, fmt.Errorf("read %s in the zip file: %w", m.Name, err)
	}
	plain, err := decompress(bufio.NewReaderSize(counted{content, add}, readBufferBytes))
	if err != nil {
		return nil, errors.Join(err, content.Close(), archive.Close())
	}
	return &stream{Reader: plain, closers: []io.Closer{content, archive}}, nil
}

func onlyMember(files []*zip.File, member string) (*zip.File, error) {
	expr, err := regexp.Compile(member)
	if err != nil {
		return nil, err
	}
	var found *zip.File
	for _, f := range files {
		if strings.HasSuffix(f.Name, "/") || !expr.MatchString(f.Name) {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("the zip file holds %s and %s; which one is meant?", found.Name, f.Name)
		}
		found = f
	}
	if found == nil {
		return nil, fmt.Errorf("the zip file holds no member that fits %q", member)
	}
	return found, nil
}

// unpack writes an archive or compressed file into dir and returns the paths of what it held. A plain file is returned
// as it is, without a copy.
func unpack(path, dir string, add func(int64)) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(counted{f, add}, readBufferBytes)
	start, err := r.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	u := &unpacker{dir: dir, left: maxUnpackBytes}
	switch {
	case bytes.HasPrefix(start, zipMagic):
		return u.zip(path)
	case bytes.HasPrefix(start, gzipMagic), bytes.HasPrefix(start, bzip2Magic):
		plain, err := decompress(r)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), ".tar")
		return u.stream(bufio.NewReaderSize(plain, readBufferBytes), name)
	default:
		add(fileSize(f))
		return []string{path}, nil
	}
}

func fileSize(f *os.File) int64 {
	info, err := f.Stat()
	if err != nil {
		return 0 // only the progress bar is the poorer for it
	}
	return info.Size()
}

// unpacker writes files below dir, up to a limit.
type unpacker struct {
	dir   string
	left  int64
	paths []string
}

func (u *unpacker) zip(path string) ([]string, error) {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return nil, fmt.Errorf("read zip: %w", err)
	}
	defer archive.Close()
	for _, f := range archive.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		content, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("read %s in the zip file: %w", f.Name, err)
		}
		err = u.write(f.Name, content)
		content.Close()
		if err != nil {
			return nil, err
		}
	}
	return u.paths, nil
}

// stream unpacks a tar archive, or writes a content that is none under name.
func (u *unpacker) stream(r *bufio.Reader, name string) ([]string, error) {
	const tarMagicAt = 257
	head, err := r.Peek(tarMagicAt + 5)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if len(head) < tarMagicAt+5 || string(head[tarMagicAt:]) != "ustar" {
		err := u.write(name, r)
		return u.paths, err
	}
	archive := tar.NewReader(r)
	for {
		h, err := archive.Next()
		if err == io.EOF {
			return u.paths, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read tar: %w", err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if err := u.write(h.Name, archive); err != nil {
			return nil, err
		}
	}
}

func (u *unpacker) write(name string, content io.Reader) error {
	if !filepath.IsLocal(name) {
		return fmt.Errorf("the archive holds %q, which points outside of it", name)
	}
	if len(u.paths) == maxUnpackFiles {
		return fmt.Errorf("the archive holds more than %d files", maxUnpackFiles)
	}
	path := filepath.Join(u.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, io.LimitReader(content, u.left+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("unpack %s: %w", name, err)
	}
	if u.left -= n; u.left < 0 {
		return fmt.Errorf("the archive unpacks to more than %d GiB", int64(maxUnpackBytes)>>30)
	}
	u.paths = append(u.paths, path)
	return nil
}
