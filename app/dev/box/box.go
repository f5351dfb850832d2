// Package box builds data/, the starter data set that is part of the repository, from a folder of full
// files. It is for those who maintain the repository: each year's editions are one command.
package box

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// File declares one file of the box, or one file for each edition of a source.
type File struct {
	From   string // regular expression of the path of the full file
	To     string // path in the box; $1 is the first group of From
	Newest bool   // the last file by name is taken where several match, else each of them
	Make   Conversion
	Totals []Total
}

// Conversion makes the file of the box from the full file, both without compression.
type Conversion func(full []byte) ([]byte, error)

// Written is a file of the box that was written.
type Written struct {
	Path  string
	Bytes int
}

// Build writes the files of the box that the folders have full files of, and returns them sorted by
// path. The same full files give the same bytes. A declared file without a full file, or one that is not
// as declared, is an error, which names all of them; the others are written.
func Build(ctx context.Context, from []string, to string, files []File) ([]Written, error) {
	full, err := listFiles(from)
	if err != nil {
		return nil, err
	}
	var written []Written
	var faults []error
	for _, f := range files {
		matching, err := f.findMatches(full)
		if err != nil {
			return nil, err
		}
		if len(matching) == 0 {
			faults = append(faults, fmt.Errorf("no file for %s: its path must match %s", f.To, f.From))
		}
		for _, m := range matching {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			w, err := f.writeMatch(m, to)
			if err != nil {
				faults = append(faults, fmt.Errorf("make %s from %s: %w", f.To, m.path, err))
				continue
			}
			written = append(written, w)
		}
	}
	slices.SortFunc(written, func(a, b Written) int { return strings.Compare(a.Path, b.Path) })
	return written, errors.Join(faults...)
}

// fullFile is a file that the box is made from.
type fullFile struct {
	path string // with slashes, below its folder
	name string // on this machine
}

func listFiles(folders []string) ([]fullFile, error) {
	var out []fullFile
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			path, err := filepath.Rel(folder, name)
			out = append(out, fullFile{path: filepath.ToSlash(path), name: name})
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("list the full files: %w", err)
		}
	}
	slices.SortStableFunc(out, func(a, b fullFile) int { return strings.Compare(a.path, b.path) })
	return out, nil
}

// match is a full file with the path that its name gives the file of the box.
type match struct {
	fullFile
	to string
}

func (f File) findMatches(full []fullFile) ([]match, error) {
	pattern, err := regexp.Compile("(^|/)(?:" + f.From + ")$")
	if err != nil {
		return nil, fmt.Errorf("read the pattern of %s: %w", f.To, err)
	}
	var out []match
	for _, file := range full {
		groups := pattern.FindStringSubmatch(file.path)
		if groups == nil {
			continue
		}
		group := ""
		if len(groups) > 2 {
			group = groups[2]
		}
		out = append(out, match{file, strings.ReplaceAll(f.To, "$1", group)})
	}
	if f.Newest && len(out) > 1 {
		out = out[len(out)-1:]
	}
	return out, nil
}

func (f File) writeMatch(m match, folder string) (Written, error) {
	full, err := readFile(m.name)
	if err != nil {
		return Written{}, err
	}
	made := full
	if f.Make != nil {
		if made, err = f.Make(full); err != nil {
			return Written{}, err
		}
	}
	for _, total := range f.Totals {
		if err := total.checkSum(made); err != nil {
			return Written{}, err
		}
	}
	if strings.HasSuffix(m.to, ".gz") {
		if made, err = gzipBytes(made); err != nil {
			return Written{}, err
		}
	}
	return writeFile(folder, m.to, made)
}

func writeFile(folder, path string, content []byte) (Written, error) {
	name := filepath.Join(folder, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return Written{}, err
	}
	return Written{path, len(content)}, os.WriteFile(name, content, 0o644)
}

// maxFullBytes limits what a full file may hold without compression.
const maxFullBytes = 1 << 30

// readFile returns the content of a file, without its gzip compression.
func readFile(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var content io.Reader = file
	if strings.HasSuffix(name, ".gz") {
		if content, err = gzip.NewReader(file); err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	n, err := io.Copy(&out, io.LimitReader(content, maxFullBytes+1))
	if err != nil {
		return nil, err
	}
	if n > maxFullBytes {
		return nil, fmt.Errorf("it holds more than %d bytes", maxFullBytes)
	}
	return out.Bytes(), nil
}

// gzipBytes returns a gzip file without a name or time in its header.
func gzipBytes(content []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
