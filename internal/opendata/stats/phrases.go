package stats

import "encoding/binary"

// Bodies differ in their figures and hardly in what stands between them: a long run of it that is often
// written is kept once, as a phrase. A folded body is a length, so many bytes as they are, the number of a
// phrase, and so on in turns; it ends with bytes as they are. Short runs are not worth a number: putting a
// body together has to cost hardly more than a copy of it.
const (
	minPhraseLength = 16
	maxPhrases      = 1 << 14
	// minUses of a phrase earn it a number. What is counted is forgotten when it is
	// too much: names of persons are used once.
	minUses    = 20
	maxCounted = 1 << 14
)

// phraseDictionary gives numbers to phrases while bodies are written.
type phraseDictionary struct {
	phrases []string
	numbers map[string]int
	uses    map[string]int
	out     []byte
}

func newPhraseDictionary() *phraseDictionary {
	return &phraseDictionary{numbers: map[string]int{}, uses: map[string]int{}}
}

// foldBody writes a body with the numbers of its phrases; none goes across
// cut. The result is good until the next call.
func (p *phraseDictionary) foldBody(body []byte, cut int) []byte {
	p.out = p.out[:0]
	from := 0
	for i := 0; i < len(body); {
		n := runLength(body[i:])
		if i < cut {
			n = min(n, cut-i)
		}
		if number, there := p.phraseNumber(body[i : i+n]); there {
			p.out = append(binary.AppendUvarint(p.out, uint64(i-from)), body[from:i]...)
			p.out = binary.AppendUvarint(p.out, uint64(number))
			from = i + n
		}
		i += n
	}
	p.out = append(binary.AppendUvarint(p.out, uint64(len(body)-from)), body[from:]...)
	return p.out
}

// phraseNumber gives the number of a phrase that is used often.
func (p *phraseDictionary) phraseNumber(phrase []byte) (number int, there bool) {
	if len(phrase) < minPhraseLength {
		return 0, false
	}
	if number, there = p.numbers[string(phrase)]; there || len(p.phrases) == maxPhrases {
		return number, there
	}
	if len(p.uses) >= maxCounted {
		clear(p.uses)
	}
	if p.uses[string(phrase)]++; p.uses[string(phrase)] < minUses {
		return 0, false
	}
	kept := string(phrase)
	delete(p.uses, kept)
	p.numbers[kept] = len(p.phrases)
	p.phrases = append(p.phrases, kept)
	return p.numbers[kept], true
}

// runLength is the length of the number at the start of JSON, or of what stands before the next
// number; digits within a text are no number.
func runLength(body []byte) int {
	i := 0
	for i < len(body) && isNumberByte(body[i]) {
		i++
	}
	if i > 0 {
		return i
	}
	for i < len(body) && !isNumberByte(body[i]) {
		if body[i] == '"' {
			i += textLength(body[i:])
		} else {
			i++
		}
	}
	return i
}

func isNumberByte(c byte) bool { return c >= '0' && c <= '9' || c == '-' || c == '.' }

// textLength is the length of the text at the start of JSON, with its quotation marks.
func textLength(body []byte) int {
	for i := 1; i < len(body); i++ {
		switch body[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(body)
}

// unfoldBody appends a body with its phrases in words, length bytes in all. It panics on
// what fold did not write. A number that is cut leads back to where it stands, without an
// end but for the length: no phrase is empty.
func unfoldBody(dst, folded []byte, phrases []string, length int) []byte {
	limit := len(dst) + length
	for len(dst) <= limit {
		n, w := binary.Uvarint(folded)
		end := w + int(n)
		dst = append(dst, folded[w:end]...)
		if end == len(folded) && len(dst) == limit {
			return dst
		}
		number, w := binary.Uvarint(folded[end:])
		dst = append(dst, phrases[number]...)
		folded = folded[end+w:]
	}
	panic("folded statistics are longer than announced")
}
