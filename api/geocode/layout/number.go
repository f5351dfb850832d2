package layout

import (
	"encoding/binary"
	"strconv"
	"strings"
)

// House is one number of a street.
type House struct {
	Number   int
	Suffix   string
	Lat, Lon int32
}

// Text is the number with its suffix: 12 bis.
func (h House) Text() string { return strings.TrimSpace(strconv.Itoa(h.Number) + " " + h.Suffix) }

// suffixes have numbers of their own in the file; others are written as text.
var suffixes = func() []string {
	out := []string{"", "bis", "ter", "quater", "quinquies"}
	for c := 'a'; c <= 'z'; c++ {
		out = append(out, string(c))
	}
	return out
}()

var suffixNumber = func() map[string]byte {
	out := map[string]byte{}
	for i, s := range suffixes {
		out[s] = byte(i)
	}
	return out
}()

const spelledSuffix = 0xff

// SuffixOf gives a suffix one form, in words as it is written: bis, bis a, 1/3. One that is too long to be
// one is cut.
func SuffixOf(s string) string { return SuffixOfParts(Split(s)) }

// SuffixOfParts gives the suffix that words are.
func SuffixOfParts(parts []Part) string {
	var b strings.Builder
	for i, p := range parts {
		switch {
		case i == 0:
		case parts[i-1].Slashed:
			b.WriteByte('/')
		default:
			b.WriteByte(' ')
		}
		b.WriteString(p.Text)
	}
	return strings.TrimSpace(b.String()[:min(b.Len(), 12)])
}

// AppendHouses writes the numbers of a street, sorted by number:
// differences of numbers and of positions are small.
func AppendHouses(b []byte, houses []House, lat, lon int32) []byte {
	number := 0
	for _, h := range houses {
		step := uint64(h.Number-number) << 1
		if h.Suffix != "" {
			step |= 1
		}
		b = binary.AppendUvarint(b, step)
		if h.Suffix != "" {
			b = appendSuffix(b, h.Suffix)
		}
		b = binary.AppendVarint(b, int64(h.Lat-lat))
		b = binary.AppendVarint(b, int64(h.Lon-lon))
		number, lat, lon = h.Number, h.Lat, h.Lon
	}
	return b
}

func appendSuffix(b []byte, suffix string) []byte {
	if n, ok := suffixNumber[suffix]; ok {
		return append(b, n)
	}
	b = append(b, spelledSuffix, byte(len(suffix)))
	return append(b, suffix...)
}

// HouseReader goes through the numbers of a street. Bytes that are no numbers end it.
type HouseReader struct {
	B     []byte
	Left  int
	House House
}

func (r *HouseReader) Next() bool {
	if r.Left == 0 {
		return false
	}
	r.Left--
	step, n := binary.Uvarint(r.B)
	if n <= 0 {
		return false
	}
	r.B = r.B[n:]
	r.House.Suffix = ""
	if step&1 == 1 && !r.readSuffix() {
		return false
	}
	lat, n := binary.Varint(r.B)
	if n <= 0 {
		return false
	}
	r.B = r.B[n:]
	lon, n := binary.Varint(r.B)
	if n <= 0 {
		return false
	}
	r.B = r.B[n:]
	r.House.Number += int(step >> 1)
	r.House.Lat += int32(lat)
	r.House.Lon += int32(lon)
	return true
}

func (r *HouseReader) readSuffix() bool {
	if len(r.B) == 0 {
		return false
	}
	n := int(r.B[0])
	r.B = r.B[1:]
	if n < len(suffixes) {
		r.House.Suffix = suffixes[n]
		return true
	}
	if n != spelledSuffix || len(r.B) == 0 || len(r.B) <= int(r.B[0]) {
		return false
	}
	end := 1 + int(r.B[0])
	r.House.Suffix = string(r.B[1:end])
	r.B = r.B[end:]
	return true
}
