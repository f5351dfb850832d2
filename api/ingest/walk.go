package ingest

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// walker lists the regular files below a folder. It follows links, and enters each folder once however many links lead to it.
type walker struct {
	found   []file
	entered map[string]bool // real paths of folders
	links   []linked        // to folders, not entered yet
}

// linked is a link to a folder, and the real path of that.
type linked struct{ path, name, folder string }

// listFiles lists the files below root, whose path must be free of links. What a link leads to is listed after what is found without
// it, and a folder before those below it, so that a file has the longest of its names. A link to a folder that it lies in is not
// followed.
func listFiles(root string) ([]file, error) {
	w := walker{entered: map[string]bool{}}
	if err := w.enter(root, ""); err != nil {
		return nil, err
	}
	for len(w.links) > 0 {
		slices.SortStableFunc(w.links, func(a, b linked) int { return cmp.Compare(len(a.folder), len(b.folder)) })
		next := w.links[0]
		w.links = w.links[1:]
		if isWithin(next.path, next.folder) || isWithin(root, next.folder) {
			continue
		}
		if err := w.enter(next.folder, next.name); err != nil {
			return nil, err
		}
	}
	return w.found, nil
}

// isWithin reports whether a path is that of a folder or lies below it.
func isWithin(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// enter lists a folder, whose files are named after name. Folders with a leading dot are not entered.
func (w *walker) enter(folder, name string) error {
	if w.entered[folder] {
		return nil
	}
	w.entered[folder] = true
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		path, inside := filepath.Join(folder, entry.Name()), strings.TrimPrefix(name+"/"+entry.Name(), "/")
		info, err := os.Stat(path)
		switch {
		case err != nil: // removed meanwhile, or a link that leads to no file
		case info.Mode().IsRegular():
			w.found = append(w.found, file{path: path, name: inside, bytes: info.Size(), modified: info.ModTime()})
		case !info.IsDir() || strings.HasPrefix(entry.Name(), "."):
		case entry.IsDir():
			if err := w.enter(path, inside); err != nil {
				return err
			}
		default:
			if real, err := filepath.EvalSymlinks(path); err == nil {
				w.links = append(w.links, linked{path, inside, real})
			}
		}
	}
	return nil
}
