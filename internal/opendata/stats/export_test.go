package stats

import (
	"encoding/json"
	"maps"
	"slices"

	"arpent/internal/snapshot"
)

// FoldAll writes bodies with one dictionary.
func FoldAll(bodies [][]byte) (folded [][]byte, phrases []string) {
	p := newPhraseDictionary()
	for _, b := range bodies {
		folded = append(folded, slices.Clone(p.foldBody(b, 0)))
	}
	return folded, p.phrases
}

// Unfold appends a body of so many bytes as it was.
func Unfold(dst, folded []byte, phrases []string, length int) []byte {
	return unfoldBody(dst, folded, phrases, length)
}

// WriteBodies writes a file of bodies, by code, of communes alone.
func WriteBodies(path string, bodies map[string][]byte) error {
	return snapshot.Write(path, Format, "test", func(w *snapshot.Writer) error {
		if err := w.Begin(bodiesSection); err != nil {
			return err
		}
		phrases, c := newPhraseDictionary(), contents{Coverage: map[Level][]KeyCoverage{Commune: {{Key: "population"}}}, Bodies: map[Level][]bodyEntry{}}
		for _, code := range slices.Sorted(maps.Keys(bodies)) {
			at, folded := w.Length(), phrases.foldBody(bodies[code], 0)
			if _, err := w.Write(folded); err != nil {
				return err
			}
			c.Bodies[Commune] = append(c.Bodies[Commune], bodyEntry{code, at, uint32(len(folded)), uint32(len(bodies[code])), 1})
		}
		c.Phrases = phrases.phrases
		text, err := json.Marshal(c)
		if err != nil {
			return err
		}
		return snapshot.Put(w, contentsSection, text)
	})
}
