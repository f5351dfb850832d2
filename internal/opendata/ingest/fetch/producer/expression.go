package producer

import (
	"arpent/internal/opendata/ingest/fetch"
	"fmt"
	"regexp"
	"strings"
)

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
	switch {
	case len(names) == 0:
		return "nothing"
	case len(names) > maxNames:
		return strings.Join(names[:maxNames], ", ") + fmt.Sprintf(" and %d more", len(names)-maxNames)
	}
	return strings.Join(names, ", ")
}
