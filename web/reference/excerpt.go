package reference

import (
	"slices"
)

const (
	excerptBefore = 60 // characters before the first word that is found
	excerptLength = 220
)

// excerptAround is the text around the first word that is found, in parts.
func (s *section) excerptAround(words []string) []part {
	text := []rune(joinBlocks(s.Text))
	from := 0
	for _, w := range words {
		if at := indexRunes(s.text, []rune(w)); at > excerptBefore {
			from = wordStart(text, at-excerptBefore)
			break
		} else if at >= 0 {
			break
		}
	}
	to := min(len(text), from+excerptLength)
	if to < len(text) {
		to = max(from, wordStart(text, to))
	}
	parts := markWords(text[from:to], s.text[from:to], words)
	if from > 0 {
		parts = append([]part{{Text: "… "}}, parts...)
	}
	if to < len(text) {
		parts = append(parts, part{Text: "…"})
	}
	return parts
}

// wordStart returns the index at which the word that contains text[at] begins.
func wordStart(text []rune, at int) int {
	for at > 0 && text[at-1] != ' ' {
		at--
	}
	return at
}

// markWords parts a text at the words, which are looked for in its folded form.
func markWords(text, folded []rune, words []string) (parts []part) {
	for len(text) > 0 {
		at, length := len(text), 0
		for _, w := range words {
			if i := indexRunes(folded, []rune(w)); i >= 0 && i < at {
				at, length = i, len([]rune(w))
			}
		}
		if at > 0 {
			parts = append(parts, part{Text: string(text[:at])})
		}
		if length > 0 {
			parts = append(parts, part{Text: string(text[at : at+length]), Hit: true})
		}
		text, folded = text[at+length:], folded[at+length:]
	}
	return parts
}

func indexRunes(text, word []rune) int {
	for i := 0; i+len(word) <= len(text); i++ {
		if slices.Equal(text[i:i+len(word)], word) {
			return i
		}
	}
	return -1
}
