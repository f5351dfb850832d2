package format

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
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
	// What 7-Zip packs cannot be read without it.
	sevenZipMagic = []byte("7z\xbc\xaf")
)

var errSevenZip = errors.New("it is a 7z archive, which cannot be read: unpack it first, for instance with 7z x")

// counted reports how much of a file has been read.
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
// the only member that fits the expression is read; without one, the only member that fits the usual one.
func openStream(path, member, usual string, add func(int64)) (*stream, error) {
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
	switch {
	case bytes.HasPrefix(start, zipMagic):
		f.Close()
		return openMember(path, member, usual, add)
	case bytes.HasPrefix(start, sevenZipMagic):
		f.Close()
		return nil, errSevenZip
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

// errNoMember is an archive that has nothing of what is looked for.
var errNoMember = errors.New("the archive holds no such file")

// junk are the files that systems add to archives on their own.
func junk(name string) bool {
	return strings.HasSuffix(name, "/") || strings.HasPrefix(name, "__MACOSX/") || strings.HasPrefix(path.Base(name), "._")
}

// openMember opens the one member of a zip archive that fits.
func openMember(path, member, usual string, add func(int64)) (*stream, error) {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return nil, fmt.Errorf("read zip: %w", err)
	}
	m, err := onlyMember(archive.File, member, usual)
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

// onlyMember finds the one member that fits. An archive of one file holds that file, whatever its name.
func onlyMember(files []*zip.File, member, usual string) (*zip.File, error) {
	var all []*zip.File
	for _, f := range files {
		if !junk(f.Name) {
			all = append(all, f)
		}
	}
	if member == "" && len(all) == 1 {
		return all[0], nil
	}
	if member == "" {
		member = usual
	}
	expr, err := regexp.Compile(member)
	if err != nil {
		return nil, err
	}
	var found *zip.File
	for _, f := range all {
		if !expr.MatchString(f.Name) {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("the zip file holds %s and %s; which one is meant?", found.Name, f.Name)
		}
		found = f
	}
	if found == nil {
		return nil, fmt.Errorf("%w: none of its %d members fits %q", errNoMember, len(all), member)
	}
	return found, nil
}

// localFile is a file that can be read from any place in it.
type localFile struct {
	*os.File
	size int64
	temp bool // it is a copy, which goes when it is closed
}

func (f *localFile) Close() error {
	err := f.File.Close()
	if f.temp {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// begins reports whether the content is of the format that begins so.
func (f *localFile) begins(start []byte) bool {
	head := make([]byte, len(start))
	_, err := f.ReadAt(head, 0)
	return err == nil && bytes.Equal(head, start)
}

// openLocal opens a file that is. What has a compression or an archive around it is copied to a temporary file first.
func openLocal(path, member, usual string, is func(*localFile) bool, add func(int64)) (*localFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	plain := &localFile{File: f, size: fileSize(f)}
	if is(plain) {
		add(plain.size)
		return plain, nil
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	in, err := openStream(path, member, usual, add)
	if err != nil {
		return nil, err
	}
	content, err := copied(in)
	if err = errors.Join(err, in.Close()); err != nil {
		if content != nil {
			err = errors.Join(err, content.Close())
		}
		return nil, err
	}
	return content, nil
}

// copied writes a stream into a temporary file.
func copied(in io.Reader) (*localFile, error) {
	f, err := os.CreateTemp("", "arpent-load-")
	if err != nil {
		return nil, err
	}
	content := &localFile{File: f, temp: true}
	content.size, err = io.Copy(f, io.LimitReader(in, maxUnpackBytes+1))
	if err == nil && content.size > maxUnpackBytes {
		err = fmt.Errorf("it unpacks to more than %d GiB", int64(maxUnpackBytes)>>30)
	}
	if err != nil {
		return nil, errors.Join(err, content.Close())
	}
	return content, nil
}
