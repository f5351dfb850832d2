package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"arpent/internal/opendata/ingest/format"
	"arpent/internal/opendata/source"
)

// file is one file of a source.
type file struct {
	path     string   // where it is; of an archive in volumes, its first volume
	volumes  []string // where the volumes are of an archive that comes in several
	name     string   // path inside its place, with slashes: what messages and geo.load say
	bytes    int64    // of all volumes
	modified time.Time
	sha256   string
	fields   map[string]string // taken from the path
	byScope  bool              // loaded with the other files of its scope
	partial  bool
	inBox    bool // of the starter data, which files of the other folders replace
}

func (f file) scopeField() string { return f.fields["scope"] }

// partPaths are the paths of what the file is read from.
func (f file) partPaths() []string {
	if f.volumes == nil {
		return []string{f.path}
	}
	return f.volumes
}

// checkUnchanged returns an error when the file is not any more what it was when
// it was found: what was read may be of both.
func (f file) checkUnchanged() error {
	bytes, modified := int64(0), time.Time{}
	for _, path := range f.partPaths() {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		bytes += info.Size()
		if info.ModTime().After(modified) {
			modified = info.ModTime()
		}
	}
	if bytes != f.bytes || !modified.Equal(f.modified) {
		return errors.New("it was changed while it was read: load it again once it is whole")
	}
	return nil
}

// matchesMember reports whether a member of the file would be a file of the source if the
// file were unpacked into a folder of its name.
func (f file) matchesMember(src source.Source, member string) bool {
	unpacked := archiveName.ReplaceAllString(f.name, "") + "/" + member
	return slices.ContainsFunc(src.Files, func(spec source.Files) bool {
		return regexp.MustCompile(spec.Path).MatchString(unpacked)
	})
}

var archiveName = regexp.MustCompile(`(?i)\.(zip|7z(\.001)?)$`)

// group is what one load takes in: the files of one scope and vintage.
type group struct {
	scope   string
	vintage string // from the file name; empty when that does not say
	partial bool
	inBox   bool
	files   []file
	// checksum is that of the load: the files and what of the declaration decides what is made from
	// them. The same again is nothing to do.
	checksum string
}

// dataFolders lists the files of the folders that sources are looked for in; each folder is walked once a
// run.
type dataFolders struct {
	roots  []string // the data folder, the downloads and the box
	box    string   // the one of roots whose files those of the others replace; empty: none
	walked map[string][]file
}

// walkRoot lists the files below root, following links. A folder that is not there has none.
func (p *dataFolders) walkRoot(root string) ([]file, error) {
	if found, done := p.walked[root]; done {
		return found, nil
	}
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		p.walked[root] = nil
		return nil, nil
	}
	found, err := listFiles(real)
	if err != nil {
		return nil, fmt.Errorf("look for files in %s: %w", root, err)
	}
	p.walked[root] = joinVolumes(found)
	return p.walked[root], nil
}

// joinVolumes makes one file of the volumes of an archive. It has the name of the first volume, which
// declarations match, even where that one is missing: then the load reports it.
func joinVolumes(found []file) []file {
	var out []file
	at := map[string]int{}
	for _, f := range found {
		first, is := format.FirstVolume(f.name)
		if !is {
			out = append(out, f)
			continue
		}
		i, known := at[first]
		if !known {
			i, at[first] = len(out), len(out)
			path, _ := format.FirstVolume(f.path)
			out = append(out, file{path: path, name: first})
		}
		whole := &out[i]
		whole.volumes = append(whole.volumes, f.path)
		whole.bytes += f.bytes
		if f.modified.After(whole.modified) {
			whole.modified = f.modified
		}
	}
	return out
}

// findFiles finds the files of a source.
func (p *dataFolders) findFiles(src source.Source) ([]file, error) {
	var found []file
	seen := map[string]bool{}
	for _, spec := range src.Files {
		expr, err := regexp.Compile(spec.Path)
		if err != nil {
			return nil, fmt.Errorf("files of %s: %w", src.Name, err)
		}
		for _, root := range p.roots {
			all, err := p.walkRoot(root)
			if err != nil {
				return nil, err
			}
			for _, f := range all {
				if m, scope := matchFile(src, expr, f.name); m != nil && !seen[f.path] {
					seen[f.path] = true
					f.inBox = root == p.box
					f.fields = map[string]string{"scope": scope}
					found = append(found, addPathFields(f, spec, expr, m, src))
				}
			}
		}
	}
	return found, nil
}

// InBox returns the sources that the box has files of, by name, with the bytes of these.
func (l *Loader) InBox() (map[string]int64, error) {
	sizes := map[string]int64{}
	where := l.newDataFolders()
	where.roots = slices.DeleteFunc(where.roots, func(root string) bool { return root != where.box })
	for _, src := range l.o.Catalogue {
		found, err := where.findFiles(src)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			sizes[src.Name] += f.bytes
		}
	}
	return sizes, nil
}

// ErrNoFile is returned where a source has no file.
var ErrNoFile = errors.New("no file found in the data folders")

// FileOf returns the path of the file that Records reads.
func (l *Loader) FileOf(name string) (string, error) {
	_, newest, err := l.newestFile(name)
	return newest.path, err
}

// newestFile finds the file of a source that was written last: one of the box where no other folder has any.
func (l *Loader) newestFile(name string) (src source.Source, newest file, err error) {
	i := slices.IndexFunc(l.o.Catalogue, func(s source.Source) bool { return s.Name == name })
	if i < 0 {
		return src, newest, fmt.Errorf("there is no source %q", name)
	}
	src = l.o.Catalogue[i]
	found, err := l.newDataFolders().findFiles(src)
	if err != nil {
		return src, newest, err
	}
	if len(found) == 0 {
		return src, newest, fmt.Errorf("source %s: %w", name, ErrNoFile)
	}
	return src, slices.MaxFunc(found, func(a, b file) int {
		return cmp.Or(compareBool(b.inBox, a.inBox), a.modified.Compare(b.modified))
	}), nil
}

// Records reads the newest file of a source, without loading it. It returns ErrNoFile where there is none.
func (l *Loader) Records(ctx context.Context, name string, each func(format.Fields) error) error {
	src, newest, err := l.newestFile(name)
	if err != nil {
		return err
	}
	r, err := format.Open(ctx, newest.path, src.Read, format.Options{Path: newest.fields})
	if err != nil {
		return fmt.Errorf("read %s: %w", newest.name, err)
	}
	defer r.Close()
	for {
		record, err := r.Next()
		var bad *format.RecordError
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &bad):
			continue
		case err != nil:
			return fmt.Errorf("read %s: %w", newest.name, err)
		}
		if err := each(record.Fields); err != nil {
			return err
		}
	}
}

// addPathFields adds what the declaration reads from a file's path.
func addPathFields(f file, spec source.Files, expr *regexp.Regexp, match []string, src source.Source) file {
	for i, name := range expr.SubexpNames() {
		if name != "" && match[i] != "" {
			f.fields[name] = match[i]
		}
	}
	f.fields["scope"] = strings.ToUpper(f.fields["scope"])
	if day, err := time.Parse("20060102", f.fields["vintage"]); err == nil {
		f.fields["vintage"] = day.Format(time.DateOnly)
	}
	// A file of parcels that does not say where it is from must not be taken for a newer one of another place.
	if f.fields["scope"] == "" && src.Target.History {
		f.fields["scope"] = f.name
	}
	f.byScope = spec.GroupByScope
	f.partial = spec.Partial != "" && regexp.MustCompile(spec.Partial).MatchString(f.name)
	return f
}

// groupFiles sorts files into loads, the newest vintage first. Of two files that claim the same scope and
// vintage the one that was written last counts.
func groupFiles(files []file) []group {
	type key struct {
		scope, vintage string
		partial, inBox bool
	}
	found := map[key]*group{}
	for _, f := range files {
		k := key{f.scopeField(), f.fields["vintage"], f.partial, f.inBox}
		g := found[k]
		switch {
		case g == nil:
			found[k] = &group{scope: k.scope, vintage: k.vintage, partial: k.partial, inBox: k.inBox, files: []file{f}}
		case f.byScope:
			g.files = append(g.files, f)
		case f.modified.After(g.files[0].modified):
			g.files[0] = f
		}
	}
	out := make([]group, 0, len(found))
	for _, g := range found {
		slices.SortFunc(g.files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
		out = append(out, *g)
	}
	slices.SortFunc(out, func(a, b group) int {
		return cmp.Or(cmp.Compare(b.vintage, a.vintage), cmp.Compare(a.scope, b.scope), compareBool(a.partial,
			b.partial))
	})
	return out
}

// walker lists the regular files below a folder. It follows links, and enters each
// folder once however many links lead to it.
type walker struct {
	found   []file
	entered map[string]bool // real paths of folders
	links   []folderLink    // to folders, not entered yet
}

// folderLink is a link to a folder, and the real path of that.
type folderLink struct{ path, name, folder string }

// listFiles lists the files below root, whose path must be free of links. What a link leads to is listed
// after what is found without it, and a folder before those below it, so that a file has the longest of its
// names. A link to a folder that it lies in is not followed.
func listFiles(root string) ([]file, error) {
	w := walker{entered: map[string]bool{}}
	if err := w.listFolder(root, ""); err != nil {
		return nil, err
	}
	for len(w.links) > 0 {
		slices.SortStableFunc(w.links, func(a, b folderLink) int {
			return cmp.Compare(len(a.folder), len(b.folder))
		})
		next := w.links[0]
		w.links = w.links[1:]
		if isWithin(next.path, next.folder) || isWithin(root, next.folder) {
			continue
		}
		if err := w.listFolder(next.folder, next.name); err != nil {
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

// listFolder lists a folder, whose files are named after name. Folders with a leading dot are not entered.
func (w *walker) listFolder(folder, name string) error {
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
			if err := w.listFolder(path, inside); err != nil {
				return err
			}
		default:
			if real, err := filepath.EvalSymlinks(path); err == nil {
				w.links = append(w.links, folderLink{path, inside, real})
			}
		}
	}
	return nil
}
