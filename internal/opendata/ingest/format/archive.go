package format

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/klauspost/compress/flate"

	"arpent/internal/disk"
	"arpent/internal/fault"
)

var (
	// errNoMember is an archive that has nothing of what is looked for.
	errNoMember  = errors.New("the archive holds no such file")
	errEncrypted = errors.New("the archive is encrypted: unpack it with its password first")
)

// archive is an open zip or 7z file.
type archive struct {
	kind    string // "zip" or "7z"
	bytes   int64  // of the file, in all its volumes
	members []member
	io.Closer
}

// member is a file in an archive. Folders and what systems add to archives on their own are none.
type member struct {
	name  string
	bytes int64 // of the content, as the archive claims
	open  func() (io.ReadCloser, error)
}

// openArchive opens a file that begins as a zip or 7z archive; nil without an error: it is neither. add is
// called with the bytes that are read of it.
func openArchive(path string, start []byte, add func(int64)) (*archive, error) {
	switch {
	case bytes.HasPrefix(start, zipMagic):
		return openZip(path, add)
	case bytes.HasPrefix(start, sevenZipMagic):
		return openSevenZip(path, add)
	default:
		return nil, nil
	}
}

func openZip(path string, add func(int64)) (*archive, error) {
	z, err := zip.OpenReader(path)
	if errors.Is(err, zip.ErrFormat) {
		return nil, errors.New("the zip file is cut off or damaged: the list of its files, at its end, is missing")
	}
	if err != nil {
		return nil, fmt.Errorf("read zip: %w", err)
	}
	z.RegisterDecompressor(zip.Deflate, flate.NewReader)
	a := &archive{kind: "zip", bytes: sizeOf(path), Closer: z}
	for _, f := range z.File {
		a.addMember(f.Name, f.UncompressedSize64, f.Mode(), func() (io.ReadCloser, error) {
			const encrypted = 1
			if f.Flags&encrypted != 0 {
				return nil, errEncrypted
			}
			content, err := f.Open()
			return &stream{Reader: countingReader{content, add}, closers: []io.Closer{content}}, err
		})
	}
	return a, nil
}

// maxClaimBytes stands for all larger claims, so that their sum fits.
const maxClaimBytes = 1 << 40

func (a *archive) addMember(name string, size uint64, mode fs.FileMode, open func() (io.ReadCloser, error)) {
	if strings.HasSuffix(name, "/") || strings.HasPrefix(name, "__MACOSX/") ||
		strings.HasPrefix(path.Base(name), "._") { // systems add these to archives on their own
		return
	}
	a.members = append(a.members, member{name, int64(min(size, maxClaimBytes)), func() (io.ReadCloser, error) {
		if !mode.IsRegular() {
			return nil, fmt.Errorf("%q in the %s file is a link or a device", name, a.kind)
		}
		content, err := open()
		if err != nil {
			return nil, fmt.Errorf("read %s in the %s file: %w", name, a.kind, err)
		}
		return content, nil
	}})
}

func (a *archive) fieldNames() []string {
	names := make([]string, len(a.members))
	for i, m := range a.members {
		names[i] = m.name
	}
	return names
}

// Nothing that is published unpacks to so much: an archive that claims to is made to fill the disk.
const (
	maxUnpackRatio = 200
	// anyRatioBytes may unpack at any ratio: tables padded with blanks shrink to nearly nothing.
	anyRatioBytes = 1 << 30
)

// checkMembers returns an error for members that claim more than an archive is taken to hold. Both
// formats end a member where its claim does.
func (a *archive) checkMembers(picked []member) error {
	if len(picked) > maxUnpackFiles {
		return fmt.Errorf("the archive holds more than %d files", maxUnpackFiles)
	}
	return checkClaim("archive", a.bytes, claimedBytes(picked))
}

// checkClaim returns an error for an archive or a grid of so many bytes
// that claims to hold more than is unpacked.
func checkClaim(what string, bytes, claimed int64) error {
	switch {
	case claimed > maxUnpackBytes:
		return fmt.Errorf("the %s unpacks to more than %d GiB", what, int64(maxUnpackBytes)>>30)
	case claimed > anyRatioBytes && claimed/maxUnpackRatio > bytes:
		return fmt.Errorf("the %s of %d KiB claims to unpack to %d MiB, more than %d times as much", what,
			bytes>>10, claimed>>20, maxUnpackRatio)
	}
	return nil
}

func claimedBytes(picked []member) (n int64) {
	for _, m := range picked {
		n += m.bytes
	}
	return n
}

// checkSpace returns an error when so many bytes leave less than a tenth of what is free on the
// disk of a folder: the database may be on it.
func checkSpace(dir string, claimed int64) error {
	free, err := freeBytes(dir)
	if err == nil && claimed > free-free/10 {
		err = fmt.Errorf("it unpacks to %d MiB, but only %d MiB are free in %s, a tenth of which is left alone",
			(claimed+1<<20-1)>>20, free>>20, dir)
	}
	return err
}

// freeBytes is what is free for this user on the disk of a folder.
var freeBytes = func(dir string) (int64, error) {
	free, _, err := disk.Space(dir)
	return free, fault.Wrap("ask for the free space of "+dir, err)
}

// sizeOf is the size of files; that of one that cannot be asked counts as 0, which its reader reports.
func sizeOf(paths ...string) (n int64) {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			n += info.Size()
		}
	}
	return n
}
