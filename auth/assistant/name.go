package assistant

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"arpent/auth/apikey"
)

// maxName leaves room for what the key's name begins with.
const maxName = 60 - len("MCP * ")

// maxMarks is how many accents one letter may bear; more climb over the lines around.
const maxMarks = 2

// cleanName makes what a client calls itself fit to be shown: one line, nothing that is unseen or turns the text around
// it, not too long. It may be empty.
func cleanName(name string) string {
	name = norm.NFC.String(strings.ToValidUTF8(name, ""))
	var b strings.Builder
	length, marks, blank := 0, 0, false
	for _, r := range name {
		switch {
		case unicode.IsSpace(r) || unicode.Is(unicode.Z, r):
			blank = length > 0
			continue
		case !unicode.IsGraphic(r) || unseen(r):
			continue
		case unicode.Is(unicode.M, r):
			if marks++; marks > maxMarks || length == 0 || blank {
				continue
			}
		default:
			marks = 0
		}
		if blank {
			b.WriteByte(' ')
			length, blank = length+1, false
		}
		b.WriteRune(r)
		length++
	}
	clean := b.String()
	for { // a name that claims to be a key's own
		rest, ok := strings.CutPrefix(clean, strings.TrimSpace(apikey.AssistantPrefix))
		if !ok {
			break
		}
		clean = strings.TrimSpace(rest)
	}
	return shorten(clean, maxName)
}

// unseen tells of characters that are letters to Unicode and nothing to the eye.
func unseen(r rune) bool {
	switch r {
	case 0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800, 0x034F, 0x17B4, 0x17B5:
		return true
	}
	return unicode.Is(unicode.Variation_Selector, r)
}

func shorten(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return strings.TrimSpace(string(runes[:most-1])) + "…"
}

// nameOf is what a client is called, after the host that its answers go to when it does not say.
func nameOf(said string, redirects []string) string {
	if name := cleanName(said); name != "" {
		return name
	}
	for _, uri := range redirects {
		if name := cleanName(redirectHost(uri)); name != "" {
			return name
		}
	}
	return "Assistant"
}
