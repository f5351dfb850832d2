package ingest

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"
)

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
