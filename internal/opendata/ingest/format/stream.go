package format

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/gzip" // takes half the time of the standard library's
	"github.com/klauspost/readahead"
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

// countingReader reports how much of a file has been read.
type countingReader struct {
	io.Reader
	add func(int64)
}

func (c countingReader) Read(p []byte) (int, error) {
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

// openStream opens a file and takes off its compression, recognised by its first bytes: names lie. Of a zip
// or 7z archive the only member that is meant is read.
func openStream(in input) (_ *stream, err error) {
	f, buffered, err := openBuffered(in.path, in.o.Read)
	if err != nil {
		return nil, err
	}
	s, packed := &stream{closers: []io.Closer{f}}, sizeOf(in.path)
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	start, _ := buffered.Peek(len(sevenZipMagic)) // a file that is shorter is no archive
	a, err := openArchive(in.path, start, in.o.Read)
	if err != nil {
		return nil, err
	}
	if a != nil {
		s.closers = append([]io.Closer{a}, s.closers...)
		m, err := a.findMember(in)
		if err != nil {
			return nil, err
		}
		content, err := m.open()
		if err != nil {
			return nil, err
		}
		s.closers = append([]io.Closer{content}, s.closers...)
		buffered, packed = bufio.NewReaderSize(content, readBufferBytes), m.bytes
	}
	plain, err := openCompressed(buffered, packed)
	if err != nil {
		return nil, err
	}
	if s.Reader = plain; a == nil && plain == io.Reader(buffered) { // nothing to take off
		return s, nil
	}
	// One processor uncompresses what another takes apart, half a megabyte before it.
	ahead, err := readahead.NewReaderSize(plain, 8, 64<<10)
	if err != nil {
		return nil, err
	}
	s.Reader, s.closers = ahead, append([]io.Closer{ahead}, s.closers...)
	return s, nil
}

// openCompressed takes off gzip or bzip2 of a file of so many bytes.
func openCompressed(r *bufio.Reader, packed int64) (io.Reader, error) {
	start, err := r.Peek(3)
	if err != nil && err != io.EOF {
		return nil, err
	}
	var plain io.Reader
	switch {
	case bytes.HasPrefix(start, gzipMagic):
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, fmt.Errorf("read gzip: %w", err)
		}
		plain = gzipErrors{z}
	case bytes.HasPrefix(start, bzip2Magic):
		plain = bzip2.NewReader(r)
	default:
		return r, nil
	}
	most := max(anyRatioBytes, packed*maxUnpackRatio)
	return bufio.NewReaderSize(&ratioLimit{plain, packed, most}, readBufferBytes), nil
}

// ratioLimit fails where a compressed file, which does not say how much it holds, unpacks to more than an
// archive of its size may claim.
type ratioLimit struct {
	io.Reader
	packed, left int64
}

func (l *ratioLimit) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, fmt.Errorf("the file of %d KiB unpacks to more than %d times as much", l.packed>>10,
			maxUnpackRatio)
	}
	return n, err
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

// findMember finds the one member that is meant. An archive of one file holds that file, whatever its name.
func (a *archive) findMember(in input) (member, error) {
	if in.spec.Member == "" && len(a.members) == 1 {
		return a.members[0], a.checkMembers(a.members)
	}
	wanted, err := in.wantedMembers(a.fieldNames())
	switch {
	case err != nil:
		return member{}, err
	case len(wanted) == 0:
		expr, _ := in.memberPattern()
		return member{}, fmt.Errorf("%w: none of its %d members fits %q", errNoMember, len(a.members), expr)
	case len(wanted) > 1:
		return member{}, fmt.Errorf("the %s file holds %s and %s; which one is meant?", a.kind, wanted[0],
			wanted[1])
	}
	m := a.members[slices.Index(a.fieldNames(), wanted[0])]
	return m, a.checkMembers([]member{m})
}

// openMembers reads the tables of an archive that the declaration means by Member, one after the other. A
// file that is no archive is read as it is.
func openMembers(in input) (Reader, error) {
	start, err := firstBytes(in.path)
	if err != nil {
		return nil, err
	}
	in.spec.AllMembers = false
	if !bytes.HasPrefix(start, zipMagic) && !bytes.HasPrefix(start, sevenZipMagic) {
		return openCSV(in)
	}
	return openParts(in, func(paths []string, dir string) (tables []part, err error) {
		for _, path := range paths {
			one := in
			one.path, one.spec.Member, one.o.Read = path, "", func(int64) {}
			tables = append(tables, part{memberName(path, dir), func() (Reader, error) { return openCSV(one) }})
		}
		return tables, nil
	})
}
