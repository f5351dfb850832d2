package format

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// unpack writes an archive or compressed file into dir and returns the paths of what it held. A plain file is returned
// as it is, without a copy.
func unpack(path, dir string, add func(int64)) ([]string, error) {
	return unpackOnly(path, dir, func([]string) []string { return nil }, add)
}

// unpackOnly is unpack that writes only those members of a zip archive that needed picks from all their names; nil
// picks all.
func unpackOnly(path, dir string, needed func([]string) []string, add func(int64)) ([]string, error) {
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
		return u.zip(path, needed)
	case bytes.HasPrefix(start, sevenZipMagic):
		return nil, errSevenZip
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

func (u *unpacker) zip(path string, needed func([]string) []string) ([]string, error) {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return nil, fmt.Errorf("read zip: %w", err)
	}
	defer archive.Close()
	var all []string
	for _, f := range archive.File {
		if !junk(f.Name) {
			all = append(all, f.Name)
		}
	}
	picked := needed(all)
	for _, f := range archive.File {
		if junk(f.Name) || picked != nil && !slices.Contains(picked, f.Name) {
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
