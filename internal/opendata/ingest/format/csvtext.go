package format

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/transform"
)

var byteOrderMark = []byte("\xef\xbb\xbf")

// dropMark takes a byte-order mark off and reports whether there was one.
func dropMark(r *bufio.Reader) (bool, error) {
	if start, err := r.Peek(len(byteOrderMark)); err != nil || !bytes.Equal(start, byteOrderMark) {
		return false, nil // a shorter file is met again when it is read
	}
	_, err := r.Discard(len(byteOrderMark))
	return true, err
}

// decodeText reads a text of a named encoding as UTF-8. One that is in another encoding than is said ends
// with an error: its names would be shown with wrong letters.
func decodeText(r *bufio.Reader, as *encodingChecker) (io.Reader, error) {
	start, _ := r.Peek(startBytes) // a shorter file is met again when it is read
	switch {
	case bytes.HasPrefix(start, []byte("\xff\xfe")), bytes.HasPrefix(start, []byte("\xfe\xff")):
		return nil, errors.New("line 1: it is in UTF-16, which is not read: save it in UTF-8")
	case bytes.IndexByte(start, 0) >= 0:
		return nil, errors.New("line 1: it has bytes of zero: it is in UTF-16, or it is no text; save it as a text in UTF-8")
	}
	said := transform.NewReader(r, as)
	switch as.declared {
	case "", "utf-8":
		return said, nil
	case "cp1252":
		return charmap.Windows1252.NewDecoder().Reader(said), nil
	case "latin1":
		return charmap.ISO8859_1.NewDecoder().Reader(said), nil
	case "mixed":
		return transform.NewReader(r, mixedDecoder{}), nil
	default:
		return nil, fmt.Errorf("the encoding %q is not known", as.declared)
	}
}

// mixedDecoder passes UTF-8 on and takes each byte that is none for a letter of Windows-1252.
type mixedDecoder struct{ transform.NopResetter }

// Transform implements transform.Transformer.
func (mixedDecoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		c, size := utf8.DecodeRune(src[nSrc:])
		if c == utf8.RuneError && size == 1 {
			if !atEOF && !utf8.FullRune(src[nSrc:]) {
				return nDst, nSrc, transform.ErrShortSrc
			}
			// é and its like, cut at the width of a column: no French word ends with Â or Ã
			if b := src[nSrc]; (b == 0xc2 || b == 0xc3) && nSrc+1 < len(src) && src[nSrc+1] == '"' {
				nSrc++
				continue
			}
			c = charmap.Windows1252.DecodeByte(src[nSrc])
		}
		if nDst+utf8.RuneLen(c) > len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		nDst += utf8.EncodeRune(dst[nDst:], c)
		nSrc += size
	}
	return nDst, nSrc, nil
}

// sniffSeparator finds the sign that the first line has most of,
// outside of quotes; the comma when it has none.
func sniffSeparator(r *bufio.Reader) (rune, error) {
	start, err := r.Peek(readBufferBytes / 2)
	if err != nil && err != io.EOF {
		return 0, err
	}
	count := map[byte]int{}
	quoted := false
	for _, c := range start {
		if c == '"' {
			quoted = !quoted
		}
		if c == '\n' && !quoted {
			break
		}
		if !quoted {
			count[c]++
		}
	}
	best := byte(',')
	for _, c := range []byte(";|\t") {
		if count[c] > count[best] {
			best = c
		}
	}
	return rune(best), nil
}

// encodingChecker passes a text on as it is and ends with an error when all of it is of another encoding than
// its source says: with accents and none of them in UTF-8, or all in UTF-8 where each byte is said to be a
// letter. A byte that is wrong among others that are right costs no more than its row.
type encodingChecker struct {
	transform.NopResetter
	declared       string // "" is UTF-8
	line           int    // that is read
	firstMultibyte int    // line of the first letter that UTF-8 writes with several bytes; 0: there is none
	firstInvalid   int    // line of the first byte that is no UTF-8; 0: there is none
}

// Transform implements transform.Transformer.
func (l *encodingChecker) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		plain := src[nSrc:min(len(src), len(dst))] // most of most texts
		for i, c := range plain {
			if c >= utf8.RuneSelf {
				plain = plain[:i]
				break
			}
		}
		l.line += bytes.Count(plain, []byte{'\n'})
		if nSrc += copy(dst[nSrc:], plain); nSrc == len(src) {
			break
		}
		c, size := rune(src[nSrc]), 1
		if c >= utf8.RuneSelf {
			if !atEOF && !utf8.FullRune(src[nSrc:]) {
				return nSrc, nSrc, transform.ErrShortSrc
			}
			c, size = utf8.DecodeRune(src[nSrc:])
		}
		if nSrc+size > len(dst) {
			return nSrc, nSrc, transform.ErrShortDst
		}
		switch {
		case size > 1 && l.firstMultibyte == 0:
			l.firstMultibyte = l.line
		case size == 1 && c == utf8.RuneError && l.firstInvalid == 0:
			l.firstInvalid = l.line
		}
		nSrc += copy(dst[nSrc:], src[nSrc:nSrc+size])
	}
	if atEOF {
		err = l.checkEncoding()
	}
	return nSrc, nSrc, err
}

func (l *encodingChecker) checkEncoding() error {
	switch isUTF8 := l.declared == "" || l.declared == "utf-8"; {
	case isUTF8 && l.firstInvalid > 0 && l.firstMultibyte == 0:
		return fmt.Errorf("line %d: it is not in UTF-8, in which it is expected, but probably in Latin-1 or Windows-1252: save it in UTF-8", l.firstInvalid)
	case !isUTF8 && l.firstMultibyte > 0 && l.firstInvalid == 0:
		return fmt.Errorf("line %d: it is in UTF-8 without a byte-order mark, and expected in %s: its accents would be shown wrong; save it in that", l.firstMultibyte, l.declared)
	}
	return nil
}

// startBytes of a text hold a zero byte if its letters have two bytes each.
const startBytes = 512
