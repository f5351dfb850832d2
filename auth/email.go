// Package auth keeps the accounts: who they are and how they prove it. It promises that an address is held in one
// form, that passwords are kept as argon2id hashes, and that nothing here ever prints one.
package auth

import (
	"net/mail"
	"strings"
	"unicode"

	"arpent/app/base/fault"
)

// NormalEmail checks an e-mail address and gives the form in which it is stored and compared: trimmed, in lower
// case. Providers that tell `A@x` from `a@x` exist on paper only; people who type one for the other are many.
func NormalEmail(address string) (string, error) {
	s := strings.ToLower(strings.TrimSpace(address))
	refused := fault.Invalid("%q is not an e-mail address", fault.Excerpt(s))
	if len(s) > 254 || strings.IndexFunc(s, unwanted) >= 0 {
		return "", refused
	}
	// ParseAddress also takes `Name <a@b>` and comments: whatever it does not give back unchanged is refused.
	parsed, err := mail.ParseAddress(s)
	if err != nil || parsed.Address != s || parsed.Name != "" {
		return "", refused
	}
	local, domain, ok := strings.Cut(s, "@")
	if !ok || len(local) > 64 || strings.HasPrefix(local, `"`) || !isDomain(domain) {
		return "", refused
	}
	return s, nil
}

func unwanted(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.IsSpace(r) || r == '<' || r == unicode.ReplacementChar
}

func isDomain(domain string) bool {
	for label := range strings.SplitSeq(domain, ".") {
		if label == "" || len(label) > 63 || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") {
			return false
		}
	}
	return !strings.ContainsAny(domain, "[]@")
}
