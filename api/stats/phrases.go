package stats

import (
	"bytes"
	"errors"
)

// Bodies repeat their keys and the names of their sources: what is often written is kept once, as a phrase, and told by its
// number. In compact JSON no byte is below 0x20, so such a byte begins the number of a phrase: its upper five bits, and a
// byte with the lower eight.
const (
	phraseMark  = 0x20
	mostPhrases = phraseMark << 8
	// leastUses of a phrase earn it a number. What is counted is forgotten when it is too much: names of persons are used once.
	leastUses   = 20
	mostCounted = 1 << 14
)

var errNotCompact = errors.New("what was rendered is not compact JSON: it has a control character")

// phrasebook gives numbers to phrases while bodies are written.
type phrasebook struct {
	phrases []string
	numbers map[string]int
	uses    map[string]int
	out     []byte
}

func newPhrasebook() *phrasebook {
	return &phrasebook{numbers: map[string]int{}, uses: map[string]int{}}
}

// fold writes a body with the numbers of its phrases. The result is good until the next call.
func (p *phrasebook) fold(body []byte) ([]byte, error) {
	for _, c := range body {
		if c < phraseMark {
			return nil, errNotCompact
		}
	}
	p.out = p.out[:0]
	for len(body) > 0 {
		n := phraseLength(body)
		phrase := body[:n]
		body = body[n:]
		if number, there := p.number(phrase); there {
			p.out = append(p.out, byte(number>>8), byte(number))
		} else {
			p.out = append(p.out, phrase...)
		}
	}
	return p.out, nil
}

// number gives the number of a phrase that is used often.
func (p *phrasebook) number(phrase []byte) (number int, there bool) {
	if phrase[0] != '"' || len(phrase) < 4 {
		return 0, false
	}
	if number, there = p.numbers[string(phrase)]; there || len(p.phrases) == mostPhrases {
		return number, there
	}
	if len(p.uses) >= mostCounted {
		clear(p.uses)
	}
	if p.uses[string(phrase)]++; p.uses[string(phrase)] < leastUses {
		return 0, false
	}
	kept := string(phrase)
	delete(p.uses, kept)
	p.numbers[kept] = len(p.phrases)
	p.phrases = append(p.phrases, kept)
	return p.numbers[kept], true
}

// phraseLength is the length of a text with what follows it up to the next text or number, or of what stands before a text.
func phraseLength(body []byte) int {
	i := 0
	if body[0] == '"' {
		for i = 1; i < len(body) && body[i] != '"'; i++ {
			if body[i] == '\\' {
				i++
			}
		}
		i = min(i+1, len(body))
		for i < len(body) && body[i] != '"' && body[i] != '-' && (body[i] < '0' || body[i] > '9') {
			i++
		}
		return i
	}
	if at := bytes.IndexByte(body, '"'); at >= 0 {
		return at
	}
	return len(body)
}

// unfold appends a body with its phrases in words.
func unfold(dst, folded []byte, phrases []string) []byte {
	from := 0
	for i := 0; i < len(folded); i++ {
		if folded[i] < phraseMark {
			dst = append(append(dst, folded[from:i]...), phrases[int(folded[i])<<8|int(folded[i+1])]...)
			i++
			from = i + 1
		}
	}
	return append(dst, folded[from:]...)
}
