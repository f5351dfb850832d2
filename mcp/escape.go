package mcp

import (
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"slices"
)

// Every seventh byte of an answer is a quote, and nothing tells which: looking at one byte after the other takes longer than
// the operation. Eight are looked at together.
const (
	eachByte = 0x0101010101010101
	topBits  = 0x8080808080808080
)

// appendEscaped writes a text as the inside of a JSON string.
func appendEscaped(out, text []byte) []byte {
	const wide = 24 // eight bytes with a backslash before each, and the eight written last
	out = slices.Grow(out, 2*len(text)+wide)
	at, to, i := len(out), out[:cap(out)], 0
	for ; i+8 <= len(text); i += 8 {
		word := binary.LittleEndian.Uint64(text[i:])
		if (word-eachByte*' ')&^word&topBits != 0 {
			return appendQuoted(out, text) // control characters: an answer of an operation has none
		}
		room := (*[wide]byte)(to[at:])
		binary.LittleEndian.PutUint64(room[:], word)
		added := 0
		for found := equal(word, '"') | equal(word, '\\'); found != 0; found &= found - 1 {
			n := bits.TrailingZeros64(found) / 8
			room[(n+added)&15] = '\\'
			added++
			binary.LittleEndian.PutUint64(room[(n+added)&15:], word>>(8*n)) // the rest again, one further
		}
		at += 8 + added
	}
	return appendQuoted(to[:at], text[i:])
}

// equal sets the top bit of each byte of a word that is b.
func equal(word uint64, b uint64) uint64 {
	word ^= eachByte * b
	return ^((word&^topBits + ^uint64(topBits)) | word | ^uint64(topBits))
}

func appendQuoted(out, text []byte) []byte {
	for i, b := range text {
		switch {
		case b < ' ':
			quoted, err := json.Marshal(string(text[i : i+1]))
			if err != nil {
				panic(err) // a text always encodes
			}
			out = append(out, quoted[1:len(quoted)-1]...)
		case b == '"' || b == '\\':
			out = append(out, '\\', b)
		default:
			out = append(out, b)
		}
	}
	return out
}
