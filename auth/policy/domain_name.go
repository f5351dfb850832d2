// Package policy keeps the rules that an organisation sets for its members. It proves a domain by a TXT
// record, and may then let people join whose confirmed address is of that domain; it may require a second
// factor.
package policy

import (
	_ "embed"
	"regexp"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"arpent/auth"
)

// publicMail lists the domains of public mail providers, one a line. An address there does not show where a
// person works.
//
//go:embed public_mail.txt
var publicMail string

// hostName matches what a company can register: not a wildcard, nor a name of a service such as _dmarc.
var hostName = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+$`)

var publicDomains = readDomains(publicMail)

func readDomains(text string) map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(text) {
		if name := strings.TrimSpace(line); name != "" && !strings.HasPrefix(name, "#") {
			set[name] = true
		}
	}
	return set
}

// Normalize checks a domain and gives it in the form in which the domains of addresses are stored: lower case
// and ASCII. A *auth.Problem for text that is no domain, for a name under which others register theirs (fr,
// co.uk), and for a domain of a public mail provider.
func Normalize(text string) (string, error) {
	text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), "@"), ".")
	email, err := auth.NormalEmail("x@" + text)
	if err != nil {
		return "", auth.NewProblem("domain", auth.CodeDomainInvalid)
	}
	_, name, _ := strings.Cut(email, "@")
	suffix, isListed := publicsuffix.PublicSuffix(name)
	registered, err := publicsuffix.EffectiveTLDPlusOne(name)
	if err != nil || !hostName.MatchString(name) || name == suffix ||
		!isListed && !strings.Contains(suffix, ".") { // an IP address, a local name
		return "", auth.NewProblem("domain", auth.CodeDomainInvalid)
	}
	if publicDomains[name] || publicDomains[registered] {
		return "", auth.NewProblem("domain", auth.CodeDomainPublic)
	}
	return name, nil
}

// Unicode is a domain as people write it, where that differs from its ASCII form; else empty.
func Unicode(name string) string {
	if shown, err := idna.Display.ToUnicode(name); err == nil && shown != name {
		return shown
	}
	return ""
}
