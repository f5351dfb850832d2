package geocode

import (
	"errors"
	"slices"
	"sort"

	"arpent/app/base/snapshot"
)

// lexicon is a sorted list of words that is searched exactly, by prefix, and with typing errors.
type lexicon struct {
	text      []byte
	end       []uint32 // where each word ends in text
	order     []uint32 // the words by length
	signature []uint64 // of each word, in this order
	bucket    []uint32 // where the words of each length begin in order
}

// lexiconSections are where a lexicon lies in the file.
type lexiconSections struct{ text, end, order, signature, bucket section }

var (
	termSections  = lexiconSections{secTermText, secTermEnd, secTermOrder, secTermSignature, secTermBucket}
	aliasSections = lexiconSections{secAliasText, secAliasEnd, secAliasOrder, secAliasSignature, secAliasBucket}
)

func newLexicon(sorted []string) lexicon {
	var l lexicon
	counts := make([]uint32, distanceMost+2)
	bucketOf := func(w string) int { return min(len(w), distanceMost+1) }
	for _, w := range sorted {
		l.text = append(l.text, w...)
		l.end = append(l.end, uint32(len(l.text)))
		counts[bucketOf(w)]++
	}
	l.bucket = make([]uint32, distanceMost+3)
	for i, n := range counts {
		l.bucket[i+1] = l.bucket[i] + n
	}
	l.order, l.signature = make([]uint32, len(sorted)), make([]uint64, len(sorted))
	next := slices.Clone(l.bucket)
	for i, w := range sorted {
		b := bucketOf(w)
		l.order[next[b]], l.signature[next[b]] = uint32(i), signature(w)
		next[b]++
	}
	return l
}

func (l lexicon) put(w *snapshot.Writer, s lexiconSections) error {
	return errors.Join(put(w, s.text, l.text), put(w, s.end, l.end), put(w, s.order, l.order), put(w, s.signature, l.signature),
		put(w, s.bucket, l.bucket))
}

func readLexicon(all *[secLast][]byte, s lexiconSections) lexicon {
	return lexicon{text: all[s.text], end: snapshot.View[uint32](all[s.end]), order: snapshot.View[uint32](all[s.order]),
		signature: snapshot.View[uint64](all[s.signature]), bucket: snapshot.View[uint32](all[s.bucket])}
}

func (l *lexicon) word(i uint32) string {
	from := uint32(0)
	if i > 0 {
		from = l.end[i-1]
	}
	return snapshot.Text(l.text[from:l.end[i]])
}

// from is the first word that is not before w.
func (l *lexicon) from(w string) uint32 {
	return uint32(sort.Search(len(l.end), func(i int) bool { return l.word(uint32(i)) >= w }))
}

func (l *lexicon) find(w string) (uint32, bool) {
	i := l.from(w)
	return i, int(i) < len(l.end) && l.word(i) == w
}

// near calls yield with the words that are 1…most typing errors away from w, and gives the number of words that it
// looked at. It compares signatures first, which takes a nanosecond a word.
func (l *lexicon) near(w string, most int, yield func(word uint32, errors int)) (looked int) {
	if len(w) > distanceMost || len(l.bucket) == 0 {
		return 0
	}
	var p pattern
	p.set(w)
	sig := signature(w)
	for length := max(len(w)-most, 1); length <= min(len(w)+most, distanceMost); length++ {
		from, to := l.bucket[length], l.bucket[length+1]
		looked += int(to - from)
		// A letter more or less changes one bit of the signature, another letter two.
		apart := 2*most - max(length-len(w), len(w)-length)
		order := l.order[from:to]
		for i, other := range l.signature[from:to] {
			if signaturesApart(sig, other) > apart {
				continue
			}
			word := order[i]
			if d := p.distance(l.word(word), most); d >= 1 && d <= most {
				yield(word, d)
			}
		}
	}
	return looked
}

// beginning calls yield with up to most words that begin with w and are longer.
func (l *lexicon) beginning(w string, most int, yield func(word uint32)) {
	for i := l.from(w); int(i) < len(l.end) && most > 0; i++ {
		word := l.word(i)
		if len(word) < len(w) || word[:len(w)] != w {
			return
		}
		if len(word) > len(w) {
			yield(i)
			most--
		}
	}
}
