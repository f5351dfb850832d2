package fetch

import (
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
		case m[1] == "departement":
			value, known = p.Departement, true
		case m[1] == "commune":
			value, known = p.Commune, true
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

// Name is the name that a file of an origin is saved by, with slashes.
func (o Origin) Name(r Remote, p Place) string {
	served := r.Served
	if served == "" {
		address, _, _ := strings.Cut(r.Address, "?")
		served = path.Base(address)
	}
	if o.As == "" {
		return served
	}
	fields := map[string]string{"served": served}
	for name, value := range r.Fields {
		fields[name] = value
	}
	return p.fill(o.As, fields)
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
