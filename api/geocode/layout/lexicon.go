package layout

import (
	"errors"
	"slices"
	"sort"

	"arpent/internal/snapshot"
)

// Lexicon is a sorted list of words that is searched exactly, by prefix, and with typing errors.
type Lexicon struct {
	text      []byte
	End       []uint32 // where each word ends in text
	order     []uint32 // the words by length
	signature []uint64 // of each word, in this order
	bucket    []uint32 // where the words of each length begin in order
}

// The lexicons of the file; their sections begin with the name.
const (
	Terms   = "term"
	Aliases = "alias"
)

// NewLexicon makes a lexicon of sorted words.
func NewLexicon(sorted []string) Lexicon {
	var l Lexicon
	counts := make([]uint32, MaxDistance+2)
	bucketOf := func(w string) int { return min(len(w), MaxDistance+1) }
	for _, w := range sorted {
		l.text = append(l.text, w...)
		l.End = append(l.End, uint32(len(l.text)))
		counts[bucketOf(w)]++
	}
	l.bucket = make([]uint32, MaxDistance+3)
	for i, n := range counts {
		l.bucket[i+1] = l.bucket[i] + n
	}
	l.order, l.signature = make([]uint32, len(sorted)), make([]uint64, len(sorted))
	next := slices.Clone(l.bucket)
	for i, w := range sorted {
		b := bucketOf(w)
		l.order[next[b]], l.signature[next[b]] = uint32(i), Signature(w)
		next[b]++
	}
	return l
}

// Put writes the sections of a lexicon.
func (l Lexicon) Put(w *snapshot.Writer, name Section) error {
	return errors.Join(Put(w, name+".text", l.text), Put(w, name+".end", l.End), Put(w, name+".order", l.order),
		Put(w, name+".signature", l.signature), Put(w, name+".bucket", l.bucket))
}

// Lexicon reads the lexicon of a name.
func (r *Reader) Lexicon(name Section) Lexicon {
	return Lexicon{text: r.Bytes(name + ".text"), End: r.Numbers(name + ".end"), order: r.Numbers(name +
		".order"),
		signature: snapshot.View[uint64](r.Bytes(name + ".signature")), bucket: r.Numbers(name + ".bucket")}
}

// Word is the word with a number.
func (l *Lexicon) Word(i uint32) string {
	from := uint32(0)
	if i > 0 {
		from = l.End[i-1]
	}
	return snapshot.Text(l.text[from:l.End[i]])
}

// lowerBound is the first word that is not before w.
func (l *Lexicon) lowerBound(w string) uint32 {
	return uint32(sort.Search(len(l.End), func(i int) bool { return l.Word(uint32(i)) >= w }))
}

func (l *Lexicon) Find(w string) (uint32, bool) {
	i := l.lowerBound(w)
	return i, int(i) < len(l.End) && l.Word(i) == w
}

// Near calls yield with the words that are 1…most typing errors away from w, and gives the number of words
// that it looked at. It compares signatures first, which takes a nanosecond a word.
func (l *Lexicon) Near(w string, most int, yield func(word uint32, errors int)) (looked int) {
	if len(w) > MaxDistance || len(l.bucket) == 0 {
		return 0
	}
	var p Pattern
	p.Set(w)
	sig := Signature(w)
	for length := max(len(w)-most, 1); length <= min(len(w)+most, MaxDistance); length++ {
		from, to := l.bucket[length], l.bucket[length+1]
		looked += int(to - from)
		// A letter more or less changes one bit of the signature, another letter two.
		apart := 2*most - max(length-len(w), len(w)-length)
		order := l.order[from:to]
		for i, other := range l.signature[from:to] {
			if SignaturesApart(sig, other) > apart {
				continue
			}
			word := order[i]
			if d := p.Distance(l.Word(word), most); d >= 1 && d <= most {
				yield(word, d)
			}
		}
	}
	return looked
}

// Lacking calls yield with the words of which w lacks so many letters, as LacksLetters does, and gives the
// number of words that it looked at.
func (l *Lexicon) Lacking(w string, letters int, yield func(word uint32)) (looked int) {
	length := len(w) + letters
	if length > MaxDistance || len(l.bucket) == 0 {
		return 0
	}
	from, to := l.bucket[length], l.bucket[length+1]
	sig := Signature(w)
	for i, other := range l.signature[from:to] {
		if word := l.order[int(from)+i]; SignaturesApart(sig, other) <= letters && LacksLetters(w, l.Word(word), letters) {
			yield(word)
		}
	}
	return int(to - from)
}

// Beginning calls yield with up to most words that begin with w and are longer.
func (l *Lexicon) Beginning(w string, most int, yield func(word uint32)) {
	for i := l.lowerBound(w); int(i) < len(l.End) && most > 0; i++ {
		word := l.Word(i)
		if len(word) < len(w) || word[:len(w)] != w {
			return
		}
		if len(word) > len(w) {
			yield(i)
			most--
		}
	}
}
