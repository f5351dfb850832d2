package convert

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"arpent/internal/opendata/source"
)

func (c *Converter) parseValue(kind source.Kind, text string) (any, error) {
	switch kind {
	case source.Integer:
		v, err := c.parseNumber(text)
		if err != nil || v != math.Trunc(v) || math.Abs(v) > math.MaxInt32 {
			return nil, errors.New("is not a whole number in range")
		}
		return int32(v), nil
	case source.Number:
		return c.parseNumber(text)
	case source.Date:
		return parseDate(text)
	case source.Objects:
		return parseObjects(text)
	case source.Boolean:
		switch strings.ToLower(text) {
		case "true", "t", "1", "oui", "o", "vrai":
			return true, nil
		case "false", "f", "0", "non", "n", "faux":
			return false, nil
		}
		return nil, errors.New("is neither yes nor no")
	default:
		return text, nil
	}
}

// blanks are what French files put between the digits of long numbers.
var blanks = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "")

func (c *Converter) parseNumber(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil { // as most numbers have neither blanks nor a comma, these are looked for last
		text = blanks.Replace(text)
		if c.spec.Decimal == "," {
			text = strings.Replace(text, ",", ".", 1)
		}
		v, err = strconv.ParseFloat(text, 64)
	}
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) || strings.ContainsAny(text, "xX_") {
		return 0, errors.New("is not a number")
	}
	return v, nil
}

func parseDate(text string) (any, error) {
	for _, layout := range []string{time.DateOnly, "02/01/2006", "20060102", time.RFC3339} {
		t, err := time.Parse(layout, text)
		if err == nil && t.Year() >= 1000 {
			return t, nil
		}
	}
	return nil, errors.New("is not a date")
}

// parseObjects decodes a JSON array of objects. What the database cannot hold is refused or dropped: it would
// end the load of the file.
func parseObjects(text string) (any, error) {
	var objects []map[string]any
	bad := json.Unmarshal([]byte(text), &objects) != nil || strings.Contains(text, `\u0000`)
	for _, object := range objects {
		bad = bad || object == nil
		maps.DeleteFunc(object, func(_ string, value any) bool {
			_, isObject := value.(map[string]any)
			_, isArray := value.([]any)
			return isObject || isArray
		})
	}
	if bad || objects == nil {
		return nil, errors.New("is not a JSON array of objects")
	}
	return objects, nil
}

// quoteExcerpt quotes what a file holds, cut to a readable length.
func quoteExcerpt(text string) string {
	const maxLetters = 60
	if r := []rune(text); len(r) > maxLetters {
		text = string(r[:maxLetters]) + "…"
	}
	return strconv.Quote(text)
}

// fixMojibake repairs a text in UTF-8 that was taken for Windows-1252 and encoded once more: "AllÃ©e" becomes
// "Allée". A text that does not come from such a slip is left alone: its accents, as bytes, are no UTF-8.
func fixMojibake(text string) string {
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
