package ingest

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// mended puts right a text in UTF-8 that was taken for Windows-1252 and encoded once more: "AllÃ©e" becomes "Allée". A
// text that does not come from such a slip is left alone: its accents, as bytes, are no UTF-8.
func mended(text string) string {
	if !strings.ContainsAny(text, "ÃÂâÅ") {
		return text
	}
	once := make([]byte, 0, len(text))
	for _, r := range text {
		b, known := charmap.Windows1252.EncodeRune(r)
		switch {
		case known:
		case r >= 0x80 && r < 0x100: // places that Windows-1252 leaves empty
			b = byte(r)
		default:
			return text
		}
		once = append(once, b)
	}
	if !utf8.Valid(once) {
		return text
	}
	return string(once)
}
