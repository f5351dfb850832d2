package format

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"github.com/bodgit/sevenzip"
	"go4.org/readerutil"
)

var sevenZipMagic = []byte("7z\xbc\xaf\x27\x1c")

var volumeName = regexp.MustCompile(`(?i)(\.7z\.)[0-9]{3}$`)

// FirstVolume is the name of the first volume of the 7z archive of which a file is a volume by its
// name: x.7z.003 is one of the archive x.7z.001.
func FirstVolume(name string) (first string, is bool) {
	return volumeName.ReplaceAllString(name, "${1}001"), volumeName.MatchString(name)
}

// openSevenZip opens a 7z archive by its only or first volume. GDAL reads this format from version 3.7
// on, and no volumes. Members are read as a stream: what is held in memory is the dictionary that the
// archive was packed with, a few tens of MiB.
//
// The library looks for sense in the list of members before it compares its checksum, and does not compare
// those of the members: both are done here, so that a damaged archive is no more than an error.
func openSevenZip(path string, add func(int64)) (a *archive, err error) {
	volumes, err := openVolumes(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, volumes.Close())
		}
	}()
	defer recoverDamage(&err)
	if err := volumes.checkStart(); err != nil {
		return nil, err
	}
	z, err := sevenzip.NewReader(countingReaderAt{volumes, add}, volumes.Size())
	if err != nil {
		return nil, sevenZipError(err)
	}
	a = &archive{kind: "7z", bytes: volumes.Size(), Closer: volumes}
	for _, f := range z.File {
		a.addMember(f.Name, f.UncompressedSize, f.Mode(), func() (content io.ReadCloser, err error) {
			defer recoverDamage(&err)
			if content, err = f.Open(); err != nil {
				return nil, sevenZipError(err)
			}
			return &checkedMember{ReadCloser: content, left: int64(f.UncompressedSize), want: f.CRC32,
				sum: crc32.NewIEEE()}, nil
		})
	}
	return a, nil
}

// sevenZipError says in words what the library stumbles over.
func sevenZipError(err error) error {
	if read, ok := errors.AsType[*sevenzip.ReadError](err); ok && read.Encrypted {
		return errEncrypted
	}
	return fmt.Errorf("the 7z archive is damaged: %w", err)
}

// checkedMember compares a member with its size and its checksum.
type checkedMember struct {
	io.ReadCloser
	left int64
	want uint32 // 0: not known
	sum  hash.Hash32
}

func (m *checkedMember) Read(p []byte) (n int, err error) {
	defer recoverDamage(&err)
	n, err = m.ReadCloser.Read(p)
	m.left -= int64(n)
	m.sum.Write(p[:n])
	switch {
	case err != nil && err != io.EOF:
		return n, sevenZipError(err)
	case err == io.EOF && m.left > 0:
		return n, sevenZipError(io.ErrUnexpectedEOF)
	case err == io.EOF && m.want != 0 && m.sum.Sum32() != m.want:
		return n, sevenZipError(errors.New("the checksum of a member does not match"))
	}
	return n, err
}

// countingReaderAt reports how much of an archive has been read.
type countingReaderAt struct {
	io.ReaderAt
	add func(int64)
}

func (c countingReaderAt) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, at)
	c.add(int64(n))
	return n, err
}

// sevenZipVolumes are the volumes of an archive as one file.
type sevenZipVolumes struct {
	readerutil.SizeReaderAt
	files []*os.File
}

func (v *sevenZipVolumes) Close() error {
	var faults []error
	for _, f := range v.files {
		faults = append(faults, f.Close())
	}
	return errors.Join(faults...)
}

// openVolumes opens a file, and those next to it that are volumes of the same archive, of which none may be
// missing between the first and the last.
func openVolumes(path string) (*sevenZipVolumes, error) {
	names := []string{path}
	first, isVolume := FirstVolume(path)
	if isVolume {
		entries, err := os.ReadDir(filepath.Dir(path))
		if err != nil {
			return nil, err
		}
		names = nil
		for _, f := range entries { // by name
			name := filepath.Join(filepath.Dir(path), f.Name())
			if of, is := FirstVolume(name); is && of == first {
				names = append(names, name)
			}
		}
	}
	v := &sevenZipVolumes{}
	var parts []readerutil.SizeReaderAt
	for i, name := range names {
		if want := fmt.Sprintf(".%03d", i+1); isVolume && filepath.Ext(name) != want {
			return nil, errors.Join(fmt.Errorf("its volume %s is missing", want), v.Close())
		}
		f, err := os.Open(name)
		if err != nil {
			return nil, errors.Join(err, v.Close())
		}
		v.files = append(v.files, f)
		parts = append(parts, io.NewSectionReader(f, 0, sizeOf(name)))
	}
	v.SizeReaderAt = readerutil.NewMultiReaderAt(parts...)
	return v, nil
}

const (
	sevenZipStartBytes = 32
	maxMemberListBytes = 64 << 20
)

// checkStart compares what an archive says of itself at its start with what is there: its whole size, and the
// checksum of the list of members, which is its end.
func (v *sevenZipVolumes) checkStart() error {
	start := make([]byte, sevenZipStartBytes)
	if _, err := io.ReadFull(io.NewSectionReader(v, 0, v.Size()), start); err != nil {
		return v.cutOffError(sevenZipStartBytes)
	}
	if crc32.ChecksumIEEE(start[12:]) != binary.LittleEndian.Uint32(start[8:]) {
		return sevenZipError(errors.New("the checksum of its header does not match"))
	}
	at, length := binary.LittleEndian.Uint64(start[12:]), binary.LittleEndian.Uint64(start[20:])
	switch {
	case at > 1<<50 || length > maxMemberListBytes:
		return sevenZipError(errors.New("its header is invalid"))
	case sevenZipStartBytes+at+length > uint64(v.Size()):
		return v.cutOffError(sevenZipStartBytes + at + length)
	}
	list := make([]byte, length)
	if _, err := io.ReadFull(io.NewSectionReader(v, int64(sevenZipStartBytes+at), int64(length)),
		list); err != nil {
		return err
	}
	if crc32.ChecksumIEEE(list) != binary.LittleEndian.Uint32(start[28:]) {
		return sevenZipError(errors.New("the checksum of the list of its members does not match"))
	}
	return nil
}

func (v *sevenZipVolumes) cutOffError(want uint64) error {
	err := fmt.Errorf("the 7z archive is cut off: it has %d bytes of %d", v.Size(), want)
	if _, is := FirstVolume(v.files[0].Name()); is {
		err = fmt.Errorf("%w; it has %d volumes here, of which one is cut off or the last is missing", err,
			len(v.files))
	}
	return err
}

// recoverDamage turns what the library does with bytes that make no sense into an error.
func recoverDamage(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("the file is damaged: %v", cause)
	}
}
