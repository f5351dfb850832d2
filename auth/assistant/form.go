package assistant

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxParameters is more than any request of ours has.
const maxParameters = 60

// parameters are those of a query or a form. What is there twice is kept apart: it must not be trusted.
type parameters struct {
	values map[string]string
	twice  map[string]bool
}

var errForm = errors.New("the parameters are not form-encoded text")

// anyBytes are the parameters that need not be text: a state goes back as it came, and a client whose identifier is none
// is told that it is unknown.
var anyBytes = []string{"state", "client_id"}

// isText tells of what a database and a log take.
func isText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// readForm reads name=value pairs between ampersands. A semicolon is a character like any other.
func readForm(text string) (parameters, error) {
	p := parameters{values: map[string]string{}, twice: map[string]bool{}}
	for n := 0; text != ""; n++ {
		var pair string
		pair, text, _ = strings.Cut(text, "&")
		if pair == "" {
			continue
		}
		rawName, rawValue, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(rawName)
		value, err2 := url.QueryUnescape(rawValue)
		if err != nil || err2 != nil || n >= maxParameters || !isText(name) || !isText(value) && !slices.Contains(anyBytes, name) {
			return p, errForm
		}
		if _, there := p.values[name]; there {
			p.twice[name] = true
			continue
		}
		p.values[name] = value
	}
	return p, nil
}

func (p parameters) get(name string) string { return p.values[name] }

func (p parameters) has(name string) bool { _, there := p.values[name]; return there }

// repeated gives one of the names that are there twice; empty: there is none.
func (p parameters) repeated() string {
	least := ""
	for name := range p.twice {
		if least == "" || name < least {
			least = name
		}
	}
	return least
}
