package standin

import (
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"arpent/api/ingest/fetch"
	"arpent/api/source"
)

// local is a file of the data folder that a source reads.
type local struct {
	path   string            // where it is
	name   string            // below the folder, with slashes
	groups map[string]string // that the declaration reads from the name
	code   string            // of the département or commune that it is of; empty: of France
	joins  bool              // the files of one place are read together
}

// base is the name without its folder and compression.
func (l local) base() string { return strings.TrimSuffix(path.Base(l.name), ".gz") }

// age compares the editions of the files of one place, as texts.
func (l local) age() string {
	return l.groups["vintage"] + " " + l.groups["year"] + " " + l.groups["scope"]
}

func filesBelow(dir string) (names []string, err error) {
	err = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, file)
		names = append(names, filepath.ToSlash(name))
		return err
	})
	return names, err
}

// match returns the files that a source reads, but for those that it declares to be parts of a whole.
func match(src source.Source, dir string, names []string) (out []local) {
	for _, name := range names {
		spec, groups := declared(src, name)
		if further := furtherName(name); groups == nil && further != "" {
			spec, groups = declared(src, further)
		}
		if groups == nil || spec.Partial != "" && regexp.MustCompile(spec.Partial).MatchString(name) {
			continue
		}
		out = append(out, local{path: filepath.Join(dir, filepath.FromSlash(name)), name: name, groups: groups, code: codeOf(groups), joins: spec.GroupByScope})
	}
	return out
}

// furtherName is what else a file is called; empty: nothing.
func furtherName(name string) string {
	for end, further := range alsoNamed {
		if strings.HasSuffix(name, "/"+end) {
			return further
		}
	}
	return ""
}

// declared returns the declaration that reads a file of a name and what it reads from it; nil: none does.
func declared(src source.Source, name string) (source.Files, map[string]string) {
	for _, spec := range src.Files {
		expr := regexp.MustCompile(spec.Path)
		m := expr.FindStringSubmatch(name)
		if m == nil || spec.In != "" {
			continue
		}
		groups := map[string]string{}
		for i, group := range expr.SubexpNames() {
			if group != "" && m[i] != "" {
				groups[group] = strings.ToUpper(m[i])
			}
		}
		return spec, groups
	}
	return source.Files{}, nil
}

var (
	departementCode = regexp.MustCompile(`^D?0?(2[AB]|97[1-6]|[0-9]{2})$`)
	communeCode     = regexp.MustCompile(`^[0-9][0-9AB][0-9]{3}$`)
	planCode        = regexp.MustCompile(`^(2[AB]|97[1-6]|[0-9]{2})[A-Z]+[0-9]{8}$`) // of a risk plan: its département and a number
)

// codeOf is the département or commune that the name of a file says. A scope that is neither, such as a year, is none.
func codeOf(groups map[string]string) string {
	for _, group := range []string{"territory", "scope"} {
		value := groups[group]
		if communeCode.MatchString(value) {
			return value
		}
		for _, expr := range []*regexp.Regexp{departementCode, planCode} {
			if m := expr.FindStringSubmatch(value); m != nil {
				return m[1]
			}
		}
	}
	return ""
}

// sameEdition reports whether what the names of two files say of their edition does not differ.
func sameEdition(a, b map[string]string) bool {
	for _, group := range []string{"year", "quarter", "vintage", "scope"} {
		x, y := a[group], b[group]
		if x == "" || y == "" || x == y {
			continue
		}
		if group != "scope" || codeOf(map[string]string{group: x}) == "" && codeOf(map[string]string{group: y}) == "" {
			return false
		}
	}
	return true
}

// of returns the files that an origin has for each place that it is asked for. A département has the files of its communes where it
// has none of its own.
func (a area) of(src source.Source, files []local) map[fetch.Place][]local {
	out := map[fetch.Place][]local{}
	for _, f := range files {
		for _, p := range a.places(src, f) {
			out[p] = append(out[p], f)
		}
	}
	for p, of := range out {
		if own := slices.DeleteFunc(slices.Clone(of), func(f local) bool { return f.code != p.Departement }); len(own) > 0 && p.Commune == "" {
			out[p] = own
		}
	}
	return out
}

// area is what one request to an origin covers.
type area fetch.Area

// places are those that an origin of such an area has a file for.
func (a area) places(src source.Source, f local) []fetch.Place {
	switch {
	case fetch.Area(a) == fetch.France && f.code == "":
		return []fetch.Place{{}}
	case fetch.Area(a) == fetch.Departement && f.code != "":
		return []fetch.Place{{Departement: departementOf(f.code)}}
	case fetch.Area(a) == fetch.Departement:
		var out []fetch.Place
		for _, d := range within[src.Name] {
			out = append(out, fetch.Place{Departement: d})
		}
		return out
	case fetch.Area(a) == fetch.Commune && communeCode.MatchString(f.code):
		return []fetch.Place{{Departement: departementOf(f.code), Commune: f.code}}
	}
	return nil
}

func departementOf(code string) string {
	if communeCode.MatchString(code) {
		return fetch.DepartementOf(code)
	}
	return code
}

// newest keeps of the files of each place those of the newest edition, unless they are read together.
func newest(files []local) []local {
	byCode := map[string][]local{}
	for _, f := range files {
		have := byCode[f.code]
		switch {
		case len(have) == 0, f.joins:
			byCode[f.code] = append(have, f)
		case f.age() > have[0].age():
			byCode[f.code] = []local{f}
		}
	}
	var out []local
	for _, code := range slices.Sorted(maps.Keys(byCode)) {
		out = append(out, byCode[code]...)
	}
	return out
}
