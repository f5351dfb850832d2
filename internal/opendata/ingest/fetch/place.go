package fetch

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"path"
	"regexp"
	"strings"
)

var placeholder = regexp.MustCompile(`\{(\w+)(:3)?\}`)

// Fill puts the codes of a place and further fields into a template. What it
// does not know stays, so that a mistake shows.
func (p Place) Fill(template string, fields map[string]string) string {
	return placeholder.ReplaceAllStringFunc(template, func(found string) string {
		m := placeholder.FindStringSubmatch(found)
		value, known := fields[m[1]]
		switch {
		case known: // of the file: one of many that an origin has for all of France
		case m[1] == "departement":
			value, known = p.Departement, p.Departement != ""
		case m[1] == "commune":
			value, known = p.Commune, p.Commune != ""
		case m[1] == "grouping":
			value, known = p.Grouping, p.Grouping != ""
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

// Name is the name that a file of an origin is saved by, with slashes. What a server or catalogue says goes
// into a name of one part alone: it cannot lead elsewhere.
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
		fields[name] = lastPathPart(value)
	}
	fields["served"] = lastPathPart(served)
	return p.Fill(cmp.Or(o.As, "{served}"), fields)
}

// lastPathPart is the last part of a path; empty where that is none.
func lastPathPart(name string) string {
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

// Chosen are the origins that are asked for a place: those that have files for just such an area, else those
// that have files for a larger one. For all of France, those of France come first, then the smallest number
// of requests. A commune has documents of its own and of its intercommunalities: those count as one area.
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
			if o.From != nil && (o.Area == area || area == Commune && o.Area == Grouping) {
				of = append(of, o)
			}
		}
		if len(of) > 0 {
			return of
		}
	}
	return nil
}

// ErrNoAddress means that it is not known where the files of a source are published.
var ErrNoAddress = errors.New("no address is known")

// Resolve returns the files that an origin has for a place. It
// returns ErrNoAddress for an origin without one.
func Resolve(ctx context.Context, c *Client, o Origin, p Place) ([]Remote, error) {
	if o.From == nil {
		return nil, ErrNoAddress
	}
	return o.From.Resolve(ctx, c, p)
}

// Departements are the codes of all départements.
var Departements = strings.Fields(`01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 21 22 23 24 25 26 27 28 29 2A 2B 30 31 32 33 34 35
36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82
83 84 85 86 87 88 89 90 91 92 93 94 95 971 972 973 974 976`)

// DepartementOf is the département of a commune's code.
func DepartementOf(commune string) string {
	if strings.HasPrefix(commune, "97") {
		return commune[:3]
	}
	return commune[:2]
}
