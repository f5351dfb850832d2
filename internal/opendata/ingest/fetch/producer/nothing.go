package producer

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"arpent/internal/opendata/ingest/fetch"
)

// noFileError is the error where nothing was found. It is fetch.ErrNothing if the
// template of what was asked for names a place.
func noFileError(template, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	for _, code := range []string{"{departement", "{commune", "{grouping"} {
		if strings.Contains(template, code) {
			return wrapErrNothing(err)
		}
	}
	return err
}

func wrapErrNothing(err error) error { return fmt.Errorf("%w: %w", fetch.ErrNothing, err) }

// incompleteError is the error of a file that was cut short. A later attempt may bring the whole of it.
func incompleteError(address, unit string, have, want int64) error {
	return fetch.Temporary(fmt.Errorf("%s has %d %s of %d", address, have, unit, want))
}

// compileExpression compiles a regular expression with the codes of a
// place in it. An empty one matches everything.
func compileExpression(p fetch.Place, template string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(p.Fill(template, nil))
	if err != nil {
		return nil, fmt.Errorf("the expression %s: %w", template, err)
	}
	return re, nil
}

// sampleNames returns the first names of a list, for an error about a file that is not among them.
func sampleNames(names []string) string {
	const maxNames = 5
	if more := len(names) - maxNames; more > 0 {
		return strings.Join(names[:maxNames], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return cmp.Or(strings.Join(names, ", "), "nothing")
}
