package format

import (
	"cmp"
	"regexp"
	"slices"

	"arpent/api/source"
)

// input is a file, and what of it is read.
type input struct {
	path string
	spec source.Read
	o    Options
}

// expression matches the paths of the members that can be meant.
func (in input) expression() (*regexp.Regexp, error) {
	return regexp.Compile(cmp.Or(in.spec.Member, usualMember[in.spec.Format]))
}

// wanted picks the members that are meant. Where the declaration names none and several are of its format, they are those
// that it would read if the archive were unpacked.
func (in input) wanted(names []string) ([]string, error) {
	expr, err := in.expression()
	if err != nil {
		return nil, err
	}
	found := matching(names, expr.MatchString)
	if in.spec.Member != "" || len(found) < 2 || in.o.Fits == nil {
		return found, nil
	}
	if fitting := matching(found, in.o.Fits); len(fitting) > 0 {
		return fitting, nil
	}
	return found, nil
}

func matching(names []string, fits func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !fits(name) })
}

// needed are the wanted members and the files beside them that belong to them.
func (in input) needed(names []string) ([]string, error) {
	if in.spec.Format == source.EDIGEO {
		return names, nil // the files that belong to one have other names
	}
	wanted, err := in.wanted(names)
	if err != nil || in.spec.Format != source.Shapefile && in.spec.Format != source.Raster {
		return wanted, err
	}
	stems := map[string]bool{}
	for _, name := range wanted {
		stems[stem(name)] = true
	}
	return matching(names, func(name string) bool { return stems[stem(name)] }), nil
}
