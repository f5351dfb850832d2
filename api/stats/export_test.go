package stats

import "slices"

// FoldAll writes bodies with one dictionary.
func FoldAll(bodies [][]byte) (folded [][]byte, phrases []string) {
	p := newDictionary()
	for _, b := range bodies {
		folded = append(folded, slices.Clone(p.fold(b, 0)))
	}
	return folded, p.phrases
}

// Unfold appends a body as it was.
func Unfold(dst, folded []byte, phrases []string) []byte { return unfold(dst, folded, phrases) }
