package cog

import (
	"regexp"
	"strings"
)

var (
	// lettered is a code with letters before it for what it is the code of: D21, F-93010, R27.
	lettered = regexp.MustCompile(`^(?:FR?|D|DEP|R|REG|COM|INSEE)[- ]?([0-9][0-9AB][0-9]{0,3}|20[AB])$`)
	// corse is the code of a commune of Corsica without zeros, or of its départements with the 0 of 20.
	corse = regexp.MustCompile(`^2(0?)([AB])([0-9]{0,3})$`)
)

// CompleteCode gives a code as INSEE writes it of one with a letter before it or without zeros: 21 of D21,
// 93010 of F-93010, 2A004 of 2A4, 2A of 20A. Another text is returned as it is.
func CompleteCode(text string) string {
	code := strings.ToUpper(strings.TrimSpace(text))
	if parts := lettered.FindStringSubmatch(code); parts != nil {
		code, text = parts[1], parts[1]
	}
	switch parts := corse.FindStringSubmatch(code); {
	case parts == nil:
		return text
	case parts[3] == "":
		return "2" + parts[2]
	case parts[1] == "":
		return "2" + parts[2] + strings.Repeat("0", 3-len(parts[3])) + parts[3]
	}
	return text
}
