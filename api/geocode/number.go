package geocode

import (
	"encoding/binary"
	"strings"
)

// house is one number of a street.
type house struct {
	number   int
	suffix   string
	lat, lon int32
}

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

// suffixOf gives a suffix one form; one that is too long to be one is cut.
func suffixOf(s string) string {
	var b strings.Builder
	for _, p := range split(s) {
		b.WriteString(p.text)
	}
	return b.String()[:min(b.Len(), 12)]
}

// appendHouses writes the numbers of a street, sorted by number: differences of numbers and of positions are small.
func appendHouses(b []byte, houses []house, lat, lon int32) []byte {
	number := 0
	for _, h := range houses {
		step := uint64(h.number-number) << 1
		if h.suffix != "" {
			step |= 1
		}
		b = binary.AppendUvarint(b, step)
		if h.suffix != "" {
			b = appendSuffix(b, h.suffix)
		}
		b = binary.AppendVarint(b, int64(h.lat-lat))
		b = binary.AppendVarint(b, int64(h.lon-lon))
		number, lat, lon = h.number, h.lat, h.lon
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

// houseReader goes through the numbers of a street. Bytes that are no numbers end it.
type houseReader struct {
	b     []byte
	left  int
	house house
}

func (r *houseReader) next() bool {
	if r.left == 0 {
		return false
	}
	r.left--
	step, n := binary.Uvarint(r.b)
	if n <= 0 {
		return false
	}
	r.b = r.b[n:]
	r.house.suffix = ""
	if step&1 == 1 && !r.readSuffix() {
		return false
	}
	lat, n := binary.Varint(r.b)
	if n <= 0 {
		return false
	}
	r.b = r.b[n:]
	lon, n := binary.Varint(r.b)
	if n <= 0 {
		return false
	}
	r.b = r.b[n:]
	r.house.number += int(step >> 1)
	r.house.lat += int32(lat)
	r.house.lon += int32(lon)
	return true
}

func (r *houseReader) readSuffix() bool {
	if len(r.b) == 0 {
		return false
	}
	n := int(r.b[0])
	r.b = r.b[1:]
	if n < len(suffixes) {
		r.house.suffix = suffixes[n]
		return true
	}
	if n != spelledSuffix || len(r.b) == 0 || len(r.b) <= int(r.b[0]) {
		return false
	}
	end := 1 + int(r.b[0])
	r.house.suffix = string(r.b[1:end])
	r.b = r.b[end:]
	return true
}
