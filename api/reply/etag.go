package reply

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/hex"
	"fmt"
)

// Tagger computes the entity tags of versions with a key: without it, a client cannot compute the tag of
// content it has not received. Instances with the same key compute the same tags.
type Tagger struct{ block cipher.Block }

// NewTagger returns a Tagger for a key of 16 or 32 bytes. It panics on another length.
func NewTagger(key []byte) Tagger {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(fmt.Sprintf("make tags: %v", err))
	}
	return Tagger{block}
}

// TagBuffer is the memory of a tag while it is computed and used, so that it need not be allocated.
type TagBuffer [sealed + len(`W/""`) + 2*tagBytes]byte

const (
	sealed   = aes.BlockSize
	tagBytes = 8
)

// Tag is the validator of a version, quotes and W/ included. It is weak, because the same body also goes out
// compressed. A version is one block of AES, half of which is
// published; it reveals nothing of the other half.
func (t Tagger) Tag(buffer *TagBuffer, v Version) []byte {
	copy(buffer[:sealed], v[:])
	t.block.Encrypt(buffer[:sealed], buffer[:sealed])
	tag := append(buffer[sealed:sealed], `W/"`...)
	tag = hex.AppendEncode(tag, buffer[:tagBytes])
	return append(tag, '"')
}
