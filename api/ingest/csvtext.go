package ingest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/transform"
)

var byteOrderMark = []byte("\xef\xbb\xbf")

// dropMark takes a byte-order mark off and tells whether there was one.
func dropMark(r *bufio.Reader) (bool, error) {
	if start, err := r.Peek(len(byteOrderMark)); err != nil || !bytes.Equal(start, byteOrderMark) {
		return false, nil // a shorter file is met again when it is read
	}
	_, err := r.Discard(len(byteOrderMark))
	return true, err
}

// decoded reads a text of a named encoding as UTF-8. One that is in another encoding than is said ends with an error: its
// names would be told with wrong letters.
func decoded(r *bufio.Reader, as *letters) (io.Reader, error) {
	if err := refuseWideLetters(r); err != nil {
		return nil, err
	}
	said := transform.NewReader(r, as)
	switch as.said {
	case "", "utf-8":
		return said, nil
	case "cp1252":
		return charmap.Windows1252.NewDecoder().Reader(said), nil
	case "latin1":
		return charmap.ISO8859_1.NewDecoder().Reader(said), nil
	case "mixed":
		return transform.NewReader(r, mixed{}), nil
	default:
		return nil, fmt.Errorf("the encoding %q is not known", as.said)
	}
}

// mixed passes UTF-8 on and takes each byte that is none for a letter of Windows-1252.
type mixed struct{ transform.NopResetter }

// Transform implements transform.Transformer.
func (mixed) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		c, size := utf8.DecodeRune(src[nSrc:])
		if c == utf8.RuneError && size == 1 {
			if !atEOF && !utf8.FullRune(src[nSrc:]) {
				return nDst, nSrc, transform.ErrShortSrc
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

// sniffEncoding reads a whole text: it is UTF-8 when all of it is, else Windows-1252, which French administrations
// fall back to.
func sniffEncoding(in io.Reader) (string, error) {
	r := bufio.NewReaderSize(in, readBufferBytes)
	for {
		c, size, err := r.ReadRune()
		if err == io.EOF {
			return "utf-8", nil
		}
		if err != nil {
			return "", err
		}
		if c == utf8.RuneError && size == 1 {
			return "cp1252", nil
		}
	}
}

// sniffSeparator finds the sign that the first line has most of, outside of quotes; the comma when it has none.
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
