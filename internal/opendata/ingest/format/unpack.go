package format

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"arpent/internal/opendata/source"
)

// tempName begins the names of temporary files and folders.
const tempName = "arpent-load-"

// unpackWanted writes what is needed of an archive or compressed file into dir, and returns the sorted paths
// of the files to read. A plain file is returned as it is, without a copy.
func unpackWanted(in input, dir string) ([]string, error) {
	paths, err := unpackFiles(in, dir)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, p := range paths {
		names[memberName(p, dir)] = p
	}
	wanted, err := in.wantedMembers(slices.Sorted(maps.Keys(names)))
	if err != nil {
		return nil, err
	}
	if len(wanted) == 0 {
		expr, _ := in.memberPattern()
		return nil, fmt.Errorf("%w: none fits %q", errNoMember, expr)
	}
	for i, name := range wanted {
		wanted[i] = names[name]
	}
	return wanted, nil
}

// unpackFiles writes what is needed of a zip or 7z archive, or what a compressed file holds.
func unpackFiles(in input, dir string) ([]string, error) {
	f, r, err := openBuffered(in.path, in.o.Read)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	u := &unpacker{dir: dir, left: maxUnpackBytes}
	start, _ := r.Peek(len(sevenZipMagic)) // a file that is shorter is no archive
	a, err := openArchive(in.path, start, in.o.Read)
	switch {
	case err != nil:
		return nil, err
	case a != nil:
		err := u.unpackArchive(a, in)
		return u.paths, errors.Join(err, a.Close())
	case bytes.HasPrefix(start, gzipMagic), bytes.HasPrefix(start, bzip2Magic):
		plain, err := openCompressed(r, sizeOf(in.path))
		if err != nil {
			return nil, err
		}
		free, err := freeBytes(dir)
		if err != nil {
			return nil, err
		}
		u.left = min(u.left, free-free/10)
		err = u.writeFile(strings.TrimSuffix(filepath.Base(in.path), filepath.Ext(in.path)), plain)
		return u.paths, err
	case len(start) == 0:
		return nil, errors.New("the file is empty")
	default:
		in.o.Read(sizeOf(in.path))
		return []string{in.path}, nil
	}
}

// openBuffered opens a file to look at its first bytes.
func openBuffered(path string, add func(int64)) (*os.File, *bufio.Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	r := bufio.NewReaderSize(countingReader{f, add}, readBufferBytes)
	if _, err := r.Peek(1); err != nil && err != io.EOF {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, r, nil
}

// unpacker writes files below dir, up to a limit.
type unpacker struct {
	dir   string
	left  int64
	paths []string
}

func (u *unpacker) unpackArchive(a *archive, in input) error {
	names, err := in.wantedMembers(a.fieldNames())
	if err != nil {
		return err
	}
	key, wanted := func(name string) string { return name }, map[string]bool{}
	if in.spec.Format == source.Shapefile || in.spec.Format == source.Raster {
		key = commonStem // of the files that belong together
	}
	for _, name := range names {
		wanted[key(name)] = true
	}
	picked := slices.DeleteFunc(slices.Clone(a.members), func(m member) bool { return !wanted[key(m.name)] })
	if err := errors.Join(a.checkMembers(picked), checkSpace(u.dir, claimedBytes(picked))); err != nil {
		return err
	}
	for _, m := range picked { // in the order of the archive: those of a 7z are compressed one after the other
		content, err := m.open()
		if err != nil {
			return err
		}
		if err := errors.Join(u.writeFile(m.name, content), content.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (u *unpacker) writeFile(name string, content io.Reader) error {
	if !filepath.IsLocal(name) {
		return fmt.Errorf("the archive holds %q, which points outside of it", name)
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
		return fmt.Errorf("it unpacks to more than %d GiB, or than nine tenths of what is free in %s",
			int64(maxUnpackBytes)>>30, u.dir)
	}
	u.paths = append(u.paths, path)
	return nil
}
