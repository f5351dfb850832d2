package ingest

import (
	"errors"
	"strings"
)

// fromWKT writes well-known text as a GeoJSON geometry, whose checks then apply: "POINT (1 2)" has the coordinates
// [1,2]. A leading "SRID=…;" is dropped; the declaration says the projection.
func fromWKT(text string) ([]byte, error) {
	if _, rest, found := strings.Cut(text, ";"); found {
		text = rest
	}
	open := strings.IndexByte(text, '(')
	if open < 0 {
		return nil, errors.New("its geometry is not well-known text")
	}
	word, _, _ := strings.Cut(strings.TrimSpace(text[:open]), " ") // drops Z and M
	for name := range shapeCodes {
		if strings.EqualFold(name, word) {
			coordinates := wktCoordinates(text[open:])
			// A point's parentheses are its array; those around each point of some writers are one too many.
			if name == "Point" || name == "MultiPoint" && strings.HasPrefix(coordinates, "[[[") {
				coordinates = strings.NewReplacer("[[", "[", "]]", "]").Replace(coordinates)
			}
			return []byte(`{"type":"` + name + `","coordinates":` + coordinates + `}`), nil
		}
	}
	return nil, errors.New("its geometry has the unknown type " + excerpt(word))
}

// wktCoordinates turns "((1 2, 3 4))" into "[[[1,2],[3,4]]]".
func wktCoordinates(text string) string {
	var b strings.Builder
	for text != "" {
		end := strings.IndexAny(text, "(),")
		if end < 0 {
			break
		}
		if numbers := strings.Fields(text[:end]); len(numbers) > 0 {
			b.WriteString("[" + strings.Join(numbers, ",") + "]")
		}
		b.WriteByte("[],"[strings.IndexByte("(),", text[end])])
		text = text[end+1:]
	}
	return b.String() + strings.TrimSpace(text)
}
