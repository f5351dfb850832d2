package fetch

import (
	"cmp"
	"net/url"
	"path"
	"regexp"
	"strings"
)

var placeholder = regexp.MustCompile(`\{(\w+)(:3)?\}`)

// fill puts the codes of a place and further fields into a template. What it does not know stays, so that a mistake shows.
func (p Place) fill(template string, fields map[string]string) string {
	return placeholder.ReplaceAllStringFunc(template, func(found string) string {
		m := placeholder.FindStringSubmatch(found)
		value, known := fields[m[1]]
		switch {
		case known: // of the file: one of many that an origin has for all of France
		case m[1] == "departement":
			value, known = p.Departement, p.Departement != ""
		case m[1] == "commune":
			value, known = p.Commune, p.Commune != ""
		}
		if !known {
			return found
		}
		if m[2] != "" {
			value = strings.Repeat("0", max(0, 3-len(value))) + value
		}
		return value
	})
}

// Name is the name that a file of an origin is saved by, with slashes. What a server or catalogue says goes into a name of one
// part alone: it cannot lead elsewhere.
func (o Origin) Name(r Remote, p Place) string {
	served := r.Served
	if served == "" {
		served = r.Address
		if u, err := url.Parse(r.Address); err == nil {
			served = u.Path
		}
	}
	fields := map[string]string{}
	for name, value := range r.Fields {
		fields[name] = onePart(value)
	}
	fields["served"] = onePart(served)
	return p.fill(cmp.Or(o.As, "{served}"), fields)
}

// onePart is the last part of a path; empty where that is none.
func onePart(name string) string {
	if name = path.Base(name); name == "." || name == ".." || name == "/" {
		return ""
	}
	return name
}

// Path is where a file of an origin is saved, below the downloads folder: the host that has it, and its name.
func (o Origin) Path(r Remote, p Place) string {
	host := ""
	if u, err := url.Parse(r.Address); err == nil {
		host = strings.ToLower(u.Hostname())
	}
	return path.Join(host, o.Name(r, p))
}

// Chosen are the origins that are asked for a place: those that have files for just such an area, else those that have files
// for a larger one. For all of France, those of France come first, then the smallest number of requests.
func Chosen(origins []Origin, p Place) []Origin {
	order := []Area{France, Departement, Commune}
	switch {
	case p.Commune != "":
		order = []Area{Commune, Departement, France}
	case p.Departement != "":
		order = []Area{Departement, France, Commune}
	}
	for _, area := range order {
		var of []Origin
		for _, o := range origins {
			if o.From != nil && o.Area == area {
				of = append(of, o)
			}
		}
		if len(of) > 0 {
			return of
		}
	}
	return nil
}
