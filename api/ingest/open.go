package ingest

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
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
